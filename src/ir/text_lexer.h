#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/dim.h"

namespace legato::ir {

/// Reads the words of the text form one after the other. Every refusal is an Error that names line
/// and column, what was expected and what came.
class TextLexer {
 public:
  explicit TextLexer(std::string_view text) : text_(text) {}

  /// Skips white space and comments (from # to the end of the line).
  void skip_space();
  bool at_end();
  /// The next character after white space, or 0 at the end.
  char peek();
  /// Consumes the character or word when it comes next.
  bool take(char c);
  bool take_word(std::string_view word);
  void expect(char c);
  void expect_word(std::string_view word);

  /// A run of name characters; `what` names it in a refusal.
  std::string_view name(std::string_view what);
  /// A string in double quotes.
  std::string quoted_string();
  /// %name or %"any name", without the %.
  std::string value_name();
  /// The characters of a number: digits, sign, point, exponent, nan, inf.
  std::string_view number();
  /// `[tokens, 256]`.
  SymShape shape();

  /// "line 3, column 14" of the word read last.
  std::string place() const;
  [[noreturn]] void refuse(const std::string& message) const;
  /// "expected `expected`, got ..." at the next word.
  [[noreturn]] void refuse_next(const std::string& expected);

 private:
  /// Where a word begins.
  struct Mark {
    size_t position = 0;
    size_t line = 1;
    size_t line_begin = 0;
  };
  void begin_word() { word_ = {position_, line_, line_begin_}; }

  std::string_view text_;
  size_t position_ = 0;
  size_t line_ = 1;
  size_t line_begin_ = 0;
  Mark word_;
};

}  // namespace legato::ir
