#include "import/hf/one_line.h"

#include <algorithm>

namespace legato::importer {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), is_control);
}

std::string one_line(std::string_view text, size_t max_bytes) {
  std::string shown(text.substr(0, max_bytes));
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  return shown;
}

}  // namespace legato::importer
