#include "base/one_line.h"

#include "base/utf8.h"

namespace legato {
namespace {

/// C0 and C1.
bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

/// The character at the front of well-formed text.
char32_t first_of(std::string_view text) {
  size_t at = 0;
  return next_code_point(text, at);
}

}  // namespace

bool is_one_line(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!step.valid || is_control(first_of(text))) return false;
    text.remove_prefix(step.size);
  }
  return true;
}

std::string one_line(std::string_view text, size_t max_bytes) {
  std::string line;
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    if (at + step.size > max_bytes) return line + "...";
    const char first = text[at];
    if (first >= '\t' && first <= '\r') {
      line += ' ';
    } else if (!step.valid) {
      line.append(step.size, '?');
    } else if (is_control(first_of(text.substr(at)))) {
      line += '?';
    } else {
      line += text.substr(at, step.size);
    }
    at += step.size;
  }
  return line;
}

}  // namespace legato
