#include "tokenizer/chat_template/lexer.h"

#include <charconv>

#include "tokenizer/chat_template/string_literal.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"

namespace legato::tokenizer::jinja {
namespace {

constexpr size_t kNpos = std::string_view::npos;

/// Turns every kind of line end into "\n" and drops the last one.
std::string normalize_newlines(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      text += source[i];
    } else {
      text += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool is_name_start(char32_t c) {
  return c == '_' || (c < 0x80 ? (c | 32) >= 'a' && (c | 32) <= 'z' : is_alpha(c));
}

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(std::string_view source, int& line) : source_(normalize_newlines(source)), line_(line) {
    line_ = 1;
  }

  std::vector<Token> run() {
    while (at_ < source_.size()) lex_template();
    add(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  void add(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

  char peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool sees(std::string_view text) const {
    return std::string_view(source_).substr(at_).starts_with(text);
  }

  void advance(size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      if (source_[at_ + i] == '\n') ++line_;
    at_ += bytes;
    if (bytes > 0) line_starting_ = source_[at_ - 1] == '\n';
  }

  void skip_space() {
    while (at_ < source_.size()) {
      size_t next = at_;
      if (!is_space(next_code_point(source_, next))) return;
      advance(next - at_);
    }
  }

  static size_t trimmed_end(std::string_view text) {
    size_t end = text.size();
    while (end > 0) {
      size_t begin = end - 1;
      while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
      size_t next = begin;
      if (!is_space(next_code_point(text, next))) break;
      end = begin;
    }
    return end;
  }

  /// The text before a tag, without what the tag strips.
  std::string_view strip_before(std::string_view text, char sign, bool is_variable) const {
    if (sign == '-') return text.substr(0, trimmed_end(text));
    if (sign == '+' || is_variable) return text;
    const size_t newline = text.rfind('\n');
    const size_t line_begin = newline == kNpos ? 0 : newline + 1;
    if (line_begin == 0 && !line_starting_) return text;
    return trimmed_end(text) <= line_begin ? text.substr(0, line_begin) : text;
  }

  static char sign_at(std::string_view text, size_t at) {
    return at < text.size() && (text[at] == '-' || text[at] == '+') ? text[at] : '\0';
  }

  void lex_template() {
    size_t begin = at_;
    for (; begin != kNpos; ++begin) {
      begin = source_.find('{', begin);
      if (begin == kNpos || begin + 1 >= source_.size()) {
        begin = kNpos;
        break;
      }
      const char c = source_[begin + 1];
      if (c == '{' || c == '%' || c == '#') break;
    }
    const std::string_view rest = std::string_view(source_).substr(at_);
    if (begin == kNpos) {
      add(TokenKind::kData, std::string(rest));
      advance(rest.size());
      return;
    }
    const char tag = source_[begin + 1];
    const char sign = sign_at(source_, begin + 2);
    const std::string data(strip_before(rest.substr(0, begin - at_), sign, tag == '{'));
    if (!data.empty()) add(TokenKind::kData, data);
    advance(begin - at_ + 2 + (sign != '\0' ? 1 : 0));
    if (tag == '#') return skip_comment();
    if (tag == '%' && lex_raw()) return;
    add(tag == '{' ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, "");
    lex_expression(tag == '{');
  }

  /// After the closing mark of a block or comment: "-" eats all space, "+" nothing, else one
  /// newline goes.
  void finish_block(char sign) {
    if (sign == '-') {
      skip_space();
    } else if (sign != '+' && peek() == '\n') {
      advance(1);
    }
  }

  void skip_comment() {
    const size_t end = source_.find("#}", at_);
    if (end == kNpos) refuse_malformed("a comment is not closed with #}}");
    const char sign = end > at_ ? sign_at(source_, end - 1) : '\0';
    advance(end - at_ + 2);
    finish_block(sign);
  }

  /// Reads {% raw %}...{% endraw %} when that is what stands after "{%".
  bool lex_raw() {
    size_t at = space_after(at_);
    if (std::string_view(source_).substr(at, 3) != "raw") return false;
    at = space_after(at + 3);
    const bool strips = at < source_.size() && source_[at] == '-';
    if (std::string_view(source_).substr(at + (strips ? 1 : 0), 2) != "%}") return false;
    advance(at - at_ + (strips ? 3 : 2));
    if (strips) skip_space();
    for (size_t begin = source_.find("{%", at_); begin != kNpos;
         begin = source_.find("{%", begin + 2)) {
      const char sign = sign_at(source_, begin + 2);
      size_t end = space_after(begin + 2 + (sign != '\0' ? 1 : 0));
      if (std::string_view(source_).substr(end, 6) != "endraw") continue;
      end = space_after(end + 6);
      const char end_sign = sign_at(source_, end);
      if (end_sign != '\0') ++end;
      if (std::string_view(source_).substr(end, 2) != "%}") continue;
      const std::string data(
          strip_before(std::string_view(source_).substr(at_, begin - at_), sign, false));
      if (!data.empty()) add(TokenKind::kData, data);
      advance(end + 2 - at_);
      finish_block(end_sign);
      return true;
    }
    refuse_malformed("a raw block is not closed with endraw");
  }

  size_t space_after(size_t at) const {
    while (at < source_.size()) {
      size_t next = at;
      if (!is_space(next_code_point(source_, next))) break;
      at = next;
    }
    return std::min(at, source_.size());
  }

  void lex_expression(bool is_variable) {
    const std::string_view close = is_variable ? "}}" : "%}";
    std::string brackets;
    for (;;) {
      skip_space();
      if (at_ >= source_.size()) refuse_malformed("a tag is not closed with {}", close);
      if (brackets.empty()) {
        const char sign = sign_at(source_, at_);
        const bool has_sign = sign == '-' || (sign == '+' && !is_variable);
        if (std::string_view(source_).substr(at_ + (has_sign ? 1 : 0), 2) == close) {
          add(is_variable ? TokenKind::kVariableEnd : TokenKind::kBlockEnd, "");
          advance(has_sign ? 3 : 2);
          if (!is_variable) return finish_block(has_sign ? sign : '\0');
          if (has_sign) skip_space();
          return;
        }
      }
      lex_token(brackets);
    }
  }

  void lex_token(std::string& brackets) {
    size_t next = at_;
    const char32_t c = next_code_point(source_, next);
    if (is_ascii_digit(source_[at_])) return lex_number();
    if (is_name_start(c)) return lex_name();
    if (c == '"' || c == '\'') return lex_string();
    lex_operator(brackets);
  }

  void lex_name() {
    size_t end = at_;
    while (end < source_.size()) {
      size_t next = end;
      const char32_t c = next_code_point(source_, next);
      if (!is_name_start(c) && !(c < 0x80 && is_ascii_digit(static_cast<char>(c)))) break;
      end = next;
    }
    add(TokenKind::kName, source_.substr(at_, end - at_));
    advance(end - at_);
  }

  void lex_string() {
    const char quote = peek();
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) refuse_malformed("a string is not closed with {}", quote);
    add(TokenKind::kString,
        unescape_string(std::string_view(source_).substr(at_ + 1, end - at_ - 1)));
    advance(end + 1 - at_);
  }

  /// Digits with single underscores between them; returns where they end.
  size_t digits_end(size_t at) const {
    while (at < source_.size() &&
           (is_ascii_digit(source_[at]) ||
            (source_[at] == '_' && at + 1 < source_.size() && is_ascii_digit(source_[at + 1]))))
      ++at;
    return at;
  }

  void lex_number() {
    size_t end = digits_end(at_);
    bool is_float = false;
    const auto digit_at = [&](size_t at) {
      return at < source_.size() && is_ascii_digit(source_[at]);
    };
    if (source_[at_] == '0' && end == at_ + 1 && end < source_.size() &&
        std::string_view("xob").find(static_cast<char>(source_[end] | 32)) != kNpos)
      return lex_prefixed_number();
    const bool after_dot = at_ > 0 && source_[at_ - 1] == '.';
    if (!after_dot && end < source_.size() && source_[end] == '.' && digit_at(end + 1)) {
      end = digits_end(end + 1);
      is_float = true;
    }
    if (!after_dot && end < source_.size() && (source_[end] | 32) == 'e') {
      size_t exponent = end + 1;
      if (exponent < source_.size() && (source_[exponent] == '+' || source_[exponent] == '-'))
        ++exponent;
      if (digit_at(exponent)) {
        end = digits_end(exponent);
        is_float = true;
      }
    }
    std::string text = source_.substr(at_, end - at_);
    std::erase(text, '_');
    if (!is_float && text.size() > 1 && text[0] == '0' && text.find_first_not_of('0') != text.npos)
      refuse_malformed("number {} begins with 0", quotable(text));
    add(is_float ? TokenKind::kFloat : TokenKind::kInteger, std::move(text));
    advance(end - at_);
  }

  /// 0x1F, 0o17 or 0b101; the token has the decimal digits.
  void lex_prefixed_number() {
    const char letter = static_cast<char>(source_[at_ + 1] | 32);
    const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    uint64_t value = 0;
    const char* begin = source_.data() + at_ + 2;
    const auto read = std::from_chars(begin, source_.data() + source_.size(), value, base);
    if (read.ptr == begin) refuse_malformed("a number has no digits after its prefix");
    if (read.ec != std::errc()) refuse_unsupported("a number is outside of 64-bit integers");
    add(TokenKind::kInteger, std::to_string(value));
    advance(static_cast<size_t>(read.ptr - begin) + 2);
  }

  void lex_operator(std::string& brackets) {
    static constexpr std::string_view kPairs[] = {"//", "**", "==", "!=", ">=", "<="};
    for (const auto pair : kPairs)
      if (sees(pair)) {
        add(TokenKind::kOperator, std::string(pair));
        return advance(2);
      }
    const char c = peek();
    if (std::string_view("+-/*%~[](){}<>=.:|,;").find(c) == kNpos)
      refuse_malformed("unexpected character '{}'", quotable(source_.substr(at_, 1)));
    if (c == '(' || c == '[' || c == '{') brackets += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c == ')' || c == ']' || c == '}') {
      if (brackets.empty() || brackets.back() != c) refuse_malformed("unexpected '{}'", c);
      brackets.pop_back();
    }
    add(TokenKind::kOperator, std::string(1, c));
    advance(1);
  }

  std::string source_;
  int& line_;
  size_t at_ = 0;
  bool line_starting_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source, int& line) {
  return Lexer(source, line).run();
}

}  // namespace legato::tokenizer::jinja
