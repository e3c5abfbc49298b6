#include "tokenizer/unicode.h"

#include <utf8proc.h>

#include "base/utf8.h"

namespace legato::tokenizer {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

}  // namespace

bool is_whitespace(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80)
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126);
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_numeric(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

bool is_mark(char32_t c) {
  if (c < 0x300) return false;
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_MN && kind <= UTF8PROC_CATEGORY_ME;
}

bool is_nonspacing_mark(char32_t c) { return c >= 0x300 && category(c) == UTF8PROC_CATEGORY_MN; }

bool is_other(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF ||
         kind == UTF8PROC_CATEGORY_CO;
}

bool is_cjk_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B81F) ||
         (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x2F800 && c <= 0x2FA1F);
}

bool is_word(char32_t c) {
  if (c < 0x80)
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  const auto kind = category(c);
  // The circled and squared letters are symbols by category but alphabetic by property.
  const bool enclosed_letter = (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
                               (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_ND) ||
         kind == UTF8PROC_CATEGORY_NL || kind == UTF8PROC_CATEGORY_PC || enclosed_letter ||
         c == 0x200C || c == 0x200D;
}

size_t leading_whitespace(std::string_view text) {
  size_t end = 0;
  for (size_t position = 0; position < text.size(); end = position)
    if (!is_whitespace(next_code_point(text, position))) break;
  return end;
}

size_t trailing_whitespace(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0) {
    size_t position = last_character(text.substr(0, begin));
    const size_t character = position;
    if (!is_whitespace(next_code_point(text, position))) break;
    begin = character;
  }
  return text.size() - begin;
}

bool starts_with_word(std::string_view text) {
  size_t position = 0;
  return !text.empty() && is_word(next_code_point(text, position));
}

bool ends_with_word(std::string_view text) {
  if (text.empty()) return false;
  size_t position = last_character(text);
  return is_word(next_code_point(text, position));
}

size_t last_character(std::string_view text) {
  size_t position = text.size() - 1;
  while (position > 0 && is_continuation(text[position])) --position;
  return position;
}

}  // namespace legato::tokenizer
