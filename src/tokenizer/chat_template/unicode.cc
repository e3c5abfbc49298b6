#include "tokenizer/chat_template/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "tokenizer/chat_template/special_casing.h"

namespace legato::tokenizer::jinja {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_cased(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL ||
         kind == UTF8PROC_CATEGORY_LT;
}

/// Marks and the like, which the final-sigma rule looks through.
bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return c == '\'' || c == '.' || c == ':' || c == 0xB7 || c == 0x2018 || c == 0x2019;
  }
}

constexpr char32_t kCapitalSigma = 0x3A3;

/// Whether the capital sigma in [begin, end) ends a word: a cased letter before it and none after.
bool is_final_sigma(std::string_view bytes, size_t begin, size_t end) {
  bool cased_before = false;
  for (size_t at = begin; at > 0;) {
    do --at;
    while (at > 0 && is_continuation(bytes[at]));
    size_t next = at;
    const char32_t c = next_code_point(bytes, next);
    if (is_case_ignorable(c)) continue;
    cased_before = is_cased(c);
    break;
  }
  if (!cased_before) return false;
  for (size_t at = end; at < bytes.size();) {
    const char32_t c = next_code_point(bytes, at);
    if (!is_case_ignorable(c)) return !is_cased(c);
  }
  return true;
}

enum class Case { kUpper, kLower, kTitle };

void append_mapped(const Text& text, size_t begin, size_t end, Case to, Text& out) {
  size_t at = begin;
  const char32_t c = next_code_point(text.bytes(), at);
  const bool is_template = text.is_template_at(begin) && text.is_template_at(end - 1);
  if (to != Case::kLower) {
    if (const char* special = to == Case::kUpper ? special_upper(c) : special_title(c)) {
      out.append(special, is_template);
      return;
    }
  }
  std::string mapped;
  const auto code = static_cast<utf8proc_int32_t>(c);
  if (to == Case::kUpper) {
    append_utf8(static_cast<char32_t>(utf8proc_toupper(code)), mapped);
  } else if (to == Case::kTitle) {
    append_utf8(static_cast<char32_t>(utf8proc_totitle(code)), mapped);
  } else if (c == kCapitalSigma && is_final_sigma(text.bytes(), begin, end)) {
    mapped = "ς";
  } else if (c == 0x130) {
    mapped = "i\u0307";
  } else {
    append_utf8(static_cast<char32_t>(utf8proc_tolower(code)), mapped);
  }
  out.append(mapped, is_template);
}

/// Maps each character by what `choose(previous_is_cased, is_first)` says.
template <typename Choose>
Text map_case(const Text& text, Choose choose) {
  Text out;
  bool previous_is_cased = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(text.bytes(), at);
    append_mapped(text, begin, at, choose(previous_is_cased, begin == 0), out);
    previous_is_cased = is_cased(c);
  }
  return out;
}

/// Characters that str.isdigit accepts beside decimal digits: superscripts and circled digits.
bool is_other_digit(char32_t c) {
  static constexpr char32_t kRanges[][2] = {
      {0xB2, 0xB3},       {0xB9, 0xB9},       {0x1369, 0x1371},   {0x19DA, 0x19DA},
      {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
      {0x2474, 0x247C},   {0x2488, 0x2490},   {0x24EA, 0x24EA},   {0x24F5, 0x24FD},
      {0x24FF, 0x24FF},   {0x2776, 0x277E},   {0x2780, 0x2788},   {0x278A, 0x2792},
      {0x10A40, 0x10A43}, {0x10E60, 0x10E68}, {0x11052, 0x1105A}, {0x1F100, 0x1F10A}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [c](const char32_t(&range)[2]) { return c >= range[0] && c <= range[1]; });
}

}  // namespace

size_t find_invalid_utf8(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const Utf8Step step = utf8_step(bytes.substr(at));
    if (!step.valid) return at;
    at += step.size;
  }
  return std::string_view::npos;
}

bool encode_utf8(char32_t c, std::string& out) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return false;
  append_utf8(c, out);
  return true;
}

size_t offset_of_code_point(std::string_view bytes, size_t index) {
  size_t at = 0;
  for (; at < bytes.size(); ++at)
    if (!is_continuation(bytes[at]) && index-- == 0) break;
  return at;
}

bool is_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_alpha(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND || is_other_digit(c); }

bool is_upper(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LU; }

bool is_lower(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL; }

Text to_upper(const Text& text) {
  return map_case(text, [](bool, bool) { return Case::kUpper; });
}

Text to_lower(const Text& text) {
  return map_case(text, [](bool, bool) { return Case::kLower; });
}

Text to_title(const Text& text) {
  return map_case(text, [](bool previous_is_cased, bool) {
    return previous_is_cased ? Case::kLower : Case::kTitle;
  });
}

Text to_capitalized(const Text& text) {
  return map_case(text, [](bool, bool is_first) { return is_first ? Case::kTitle : Case::kLower; });
}

}  // namespace legato::tokenizer::jinja
