#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "tokenizer/chat_template/text.h"

namespace legato::tokenizer::jinja {

/// Byte offset of the first ill-formed sequence, or npos. All other functions here expect
/// well-formed text.
size_t find_invalid_utf8(std::string_view bytes);

/// Appends a code point; false for surrogates and values above U+10FFFF.
bool encode_utf8(char32_t code_point, std::string& out);
/// Byte offset of code point `index`, or bytes.size() when there are fewer.
size_t offset_of_code_point(std::string_view bytes, size_t index);

/// As str.isspace, str.isalpha and str.isdigit of one character.
bool is_space(char32_t c);
bool is_alpha(char32_t c);
bool is_digit(char32_t c);
bool is_upper(char32_t c);
bool is_lower(char32_t c);

/// As str.upper, str.lower, str.title and str.capitalize; each character keeps its origin.
Text to_upper(const Text& text);
Text to_lower(const Text& text);
Text to_title(const Text& text);
Text to_capitalized(const Text& text);

}  // namespace legato::tokenizer::jinja
