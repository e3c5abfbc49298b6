#include "import/hf/json_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/status.h"

namespace legato::importer {
namespace {

constexpr size_t kMaxRunBytes = 4096;
constexpr std::string_view kStructure = "{}[]:,\"";

/// The index past the string's closing quote.
size_t end_of_string(std::string_view text, size_t begin) {
  size_t i = begin + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

}  // namespace

void judge_token_lengths(std::string_view text, const std::string& where, size_t max_string) {
  size_t i = 0;
  while (i < text.size()) {
    const bool is_string = text[i] == '"';
    size_t end = is_string ? end_of_string(text, i) : text.find_first_of(kStructure, i);
    if (end == std::string_view::npos) end = text.size();
    if (end - i > (is_string ? max_string : kMaxRunBytes))
      throw Error(Code::kMalformed, where,
                  fmt::format("{} of {} bytes at byte {}, at most {} are read",
                              is_string ? "a string" : "white space or a number", end - i, i,
                              is_string ? max_string : kMaxRunBytes));
    i = std::max(end, i + 1);
  }
}

}  // namespace legato::importer
