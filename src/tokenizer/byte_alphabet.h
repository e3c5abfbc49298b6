#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace legato::tokenizer {

/// The alphabet of byte-level vocabularies: each byte has a printable character of its own.
/// Printable Latin-1 bytes stand for themselves, the other 68 for U+0100 on, in order.

/// The character of a byte, one or two bytes of UTF-8.
std::string_view character_of_byte(uint8_t byte);

/// Appends the alphabet's character for each byte.
void append_as_characters(std::string_view bytes, std::string& out);

/// Appends the bytes that `characters` stand for; false (and nothing appended) when one of them is
/// outside the alphabet.
bool append_as_bytes(std::string_view characters, std::string& out);

}  // namespace legato::tokenizer
