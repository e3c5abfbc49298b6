#pragma once

#include <string_view>

namespace legato::tokenizer {

/// Classes of characters as the reference tokenizers use them.

/// The property White_Space.
bool is_whitespace(char32_t c);
/// General categories P*, and the ASCII symbols that count as punctuation on a keyboard.
bool is_punctuation(char32_t c);
/// General categories Nd, Nl and No.
bool is_numeric(char32_t c);
/// General categories Mn, Mc and Me.
bool is_mark(char32_t c);
/// General category Mn.
bool is_nonspacing_mark(char32_t c);
/// General categories Cc, Cf and Co.
bool is_other(char32_t c);
/// The blocks that BERT puts spaces around.
bool is_cjk_ideograph(char32_t c);
/// A character of a word: letters, marks, decimal digits and connecting punctuation.
bool is_word(char32_t c);

/// Bytes of white space at the front and at the end of `text`.
size_t leading_whitespace(std::string_view text);
size_t trailing_whitespace(std::string_view text);
bool starts_with_word(std::string_view text);
bool ends_with_word(std::string_view text);

/// Where the last character of well-formed, non-empty text begins.
size_t last_character(std::string_view text);

}  // namespace legato::tokenizer
