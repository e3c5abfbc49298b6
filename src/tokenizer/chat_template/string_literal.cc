#include "tokenizer/chat_template/string_literal.h"

#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"

namespace legato::tokenizer::jinja {
namespace {

void append_code_point(char32_t c, std::string& out) {
  if (!encode_utf8(c, out))
    refuse_unsupported("a string escape gives U+{:X}, which is not a character",
                       static_cast<uint32_t>(c));
}

/// Reads exactly `count` hexadecimal digits at `at`.
char32_t read_hex(std::string_view body, size_t at, size_t count) {
  char32_t value = 0;
  for (size_t i = at; i < at + count; ++i) {
    const char c = i < body.size() ? body[i] : '\0';
    const int lower = c | 32;
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<char32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value * 16 + static_cast<char32_t>(lower - 'a' + 10);
    } else {
      refuse_malformed("a string escape needs {} hexadecimal digits", count);
    }
  }
  return value;
}

/// Handles the escape whose letter is body[at]; returns where the text goes on.
size_t append_escape(std::string_view body, size_t at, std::string& out) {
  static constexpr std::string_view kLetters = "abfnrtv\\'\"";
  static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\'\"";
  const char c = body[at];
  if (const size_t known = kLetters.find(c); known != kLetters.npos) {
    out += kBytes[known];
    return at + 1;
  }
  if (c == '\n') return at + 1;
  if (c == 'x' || c == 'u' || c == 'U') {
    const size_t count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    append_code_point(read_hex(body, at + 1, count), out);
    return at + 1 + count;
  }
  if (c == 'N') refuse_unsupported("\\N escapes are not supported");
  if (c >= '0' && c <= '7') {
    char32_t value = 0;
    const size_t end = at + 3;
    while (at < end && at < body.size() && body[at] >= '0' && body[at] <= '7')
      value = value * 8 + static_cast<char32_t>(body[at++] - '0');
    append_code_point(value, out);
    return at;
  }
  out += '\\';
  return at;
}

}  // namespace

std::string unescape_string(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  for (size_t at = 0; at < body.size();) {
    if (body[at] == '\\' && at + 1 < body.size()) {
      at = append_escape(body, at + 1, out);
    } else {
      out += body[at++];
    }
  }
  return out;
}

}  // namespace legato::tokenizer::jinja
