#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace legato {

/// What stands for bytes that are no text.
inline constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";

/// Result of looking at the bytes at one position.
struct Utf8Step {
  /// Bytes to move by; at least 1 unless the text is empty.
  size_t size = 0;
  bool valid = false;
  /// The bytes are a proper beginning of a character that the text ends before finishing.
  bool incomplete = false;
};

/// Judges the character at the front of `text`. An ill-formed sequence is one step for each maximal
/// beginning of a well-formed one, as Unicode recommends and Python's errors="replace" does.
Utf8Step utf8_step(std::string_view text);

bool is_utf8(std::string_view text);

/// Appends `text` with U+FFFD for each ill-formed step.
void append_lossy(std::string_view text, std::string& out);

/// Reads the code point at `position` of well-formed text and moves past it.
char32_t next_code_point(std::string_view text, size_t& position);

void append_utf8(char32_t code_point, std::string& out);

/// Bytes of the character that starts with this lead byte of well-formed text.
constexpr size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

size_t count_code_points(std::string_view text);

}  // namespace legato
