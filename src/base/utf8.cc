#include "base/utf8.h"

#include <algorithm>

namespace legato {
namespace {

/// The range that the second byte must lie in; the lead decides it (no overlong form, no
/// surrogate).
struct SecondByte {
  unsigned char low;
  unsigned char high;
};

SecondByte second_byte_range(unsigned char lead) {
  switch (lead) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {0x80, 0xBF};
  }
}

}  // namespace

Utf8Step utf8_step(std::string_view text) {
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, true, false};
  if (lead < 0xC2 || lead > 0xF4) return {1, false, false};
  const size_t length = utf8_length(text[0]);
  const SecondByte second = second_byte_range(lead);
  for (size_t i = 1; i < length; ++i) {
    if (i >= text.size()) return {i, false, true};
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool fits = i == 1 ? byte >= second.low && byte <= second.high : is_continuation(text[i]);
    if (!fits) return {i, false, false};
  }
  return {length, true, false};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!step.valid) return false;
    text.remove_prefix(step.size);
  }
  return true;
}

void append_lossy(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    out += step.valid ? text.substr(0, step.size) : kReplacementText;
    text.remove_prefix(step.size);
  }
}

char32_t next_code_point(std::string_view text, size_t& position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  const size_t length = std::min(utf8_length(text[position]), text.size() - position);
  char32_t value = length == 1   ? lead
                   : length == 2 ? lead & 0x1F
                   : length == 3 ? lead & 0x0F
                                 : lead & 0x07;
  for (size_t i = 1; i < length; ++i)
    value = value << 6 | (static_cast<unsigned char>(text[position + i]) & 0x3F);
  position += length;
  return value;
}

void append_utf8(char32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

size_t count_code_points(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

}  // namespace legato
