#include "ir/text_lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/text_literal.h"

namespace legato::ir {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

void TextLexer::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '#') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++position_;
      if (c != '\n') continue;
      ++line_;
      line_begin_ = position_;
    } else {
      return;
    }
  }
}

char TextLexer::peek() {
  skip_space();
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool TextLexer::at_end() {
  skip_space();
  return position_ == text_.size();
}

bool TextLexer::take(char c) {
  if (at_end() || text_[position_] != c) return false;
  begin_word();
  ++position_;
  return true;
}

bool TextLexer::take_word(std::string_view word) {
  skip_space();
  const std::string_view rest = text_.substr(position_);
  if (rest.substr(0, word.size()) != word) return false;
  if (rest.size() > word.size() && is_name_char(rest[word.size()])) return false;
  begin_word();
  position_ += word.size();
  return true;
}

void TextLexer::expect(char c) {
  if (!take(c)) refuse_next(fmt::format("'{}'", c));
}

void TextLexer::expect_word(std::string_view word) {
  if (!take_word(word)) refuse_next(fmt::format("\"{}\"", word));
}

std::string_view TextLexer::name(std::string_view what) {
  skip_space();
  begin_word();
  while (position_ < text_.size() && is_name_char(text_[position_])) ++position_;
  if (position_ == word_.position) refuse_next(std::string(what));
  return text_.substr(word_.position, position_ - word_.position);
}

std::string TextLexer::quoted_string() {
  expect('"');
  std::string result;
  while (position_ < text_.size() && text_[position_] != '"') {
    const char c = text_[position_++];
    if (c == '\n') refuse("a string ends before the line does");
    if (c != '\\') {
      result += c;
      continue;
    }
    const char escaped = position_ < text_.size() ? text_[position_++] : '\0';
    if (escaped == '"' || escaped == '\\') {
      result += escaped;
    } else if (escaped == 'x' && position_ + 2 <= text_.size() &&
               hex_digit(text_[position_]) >= 0 && hex_digit(text_[position_ + 1]) >= 0) {
      result +=
          static_cast<char>(hex_digit(text_[position_]) * 16 + hex_digit(text_[position_ + 1]));
      position_ += 2;
    } else {
      refuse("a backslash is followed by neither quote, backslash nor xHH");
    }
  }
  if (position_ == text_.size()) refuse("a string is not closed");
  ++position_;
  return result;
}

std::string TextLexer::value_name() {
  expect('%');
  if (position_ < text_.size() && text_[position_] == '"') return quoted_string();
  return std::string(name("a value's name"));
}

std::string_view TextLexer::number() {
  skip_space();
  begin_word();
  while (position_ < text_.size() && (is_name_char(text_[position_]) || text_[position_] == '+'))
    ++position_;
  if (position_ == word_.position) refuse_next("a number");
  return text_.substr(word_.position, position_ - word_.position);
}

SymShape TextLexer::shape() {
  constexpr size_t kMaxDimBytes = 4096;
  expect('[');
  SymShape shape;
  while (!take(']')) {
    if (!shape.dims.empty()) expect(',');
    skip_space();
    begin_word();
    position_ = std::min(text_.find_first_of(",]\n", position_), text_.size());
    const std::string_view text = text_.substr(word_.position, position_ - word_.position);
    if (text.size() > kMaxDimBytes) refuse("a dimension has more than 4096 characters");
    Result<Dim> dim = Dim::parse(text);
    if (!dim.ok()) refuse(dim.status().message);
    shape.dims.push_back(std::move(*dim));
    if (shape.dims.size() > static_cast<size_t>(Shape::kMaxRank))
      refuse("a shape has more than 8 axes");
  }
  return shape;
}

std::string TextLexer::place() const {
  return fmt::format("line {}, column {}", word_.line, word_.position - word_.line_begin + 1);
}

void TextLexer::refuse(const std::string& message) const {
  throw Error(Code::kMalformed, place(), message);
}

void TextLexer::refuse_next(const std::string& expected) {
  skip_space();
  begin_word();
  if (position_ == text_.size()) refuse(fmt::format("expected {}, got the end", expected));
  const size_t end = std::min(text_.find_first_of(" \n", position_), position_ + 20);
  std::string got;
  for (const char c : text_.substr(position_, end - position_))
    got += c >= ' ' && c <= '~' ? c : '?';
  refuse(fmt::format("expected {}, got \"{}\"", expected, got));
}

}  // namespace legato::ir
