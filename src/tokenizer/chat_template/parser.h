#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/chat_template/ast.h"
#include "tokenizer/chat_template/lexer.h"

namespace legato::tokenizer::jinja {

/// Recursive descent over the grammar of Jinja. Throws TemplateError; line() then says where. One
/// thread.
class Parser {
 public:
  Body parse(std::string_view source);
  int line() const { return line_; }

 private:
  using Names = std::initializer_list<std::string_view>;

  // Tokens.
  const Token& peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token next();
  bool sees(TokenKind kind) const { return peek().kind == kind; }
  bool sees_operator(std::string_view text, size_t ahead = 0) const;
  bool sees_name(std::string_view text, size_t ahead = 0) const;
  bool skip_operator(std::string_view text);
  bool skip_name(std::string_view text);
  void expect_operator(std::string_view text);
  void expect_name(std::string_view text);
  std::string expect_any_name(const char* what);
  void expect_block_end();
  [[noreturn]] void refuse_token(std::string_view expected);

  // Statements.
  Body parse_body(Names ends);
  StatementPtr parse_output();
  StatementPtr parse_statement(const std::string& tag);
  StatementPtr parse_if();
  StatementPtr parse_for();
  StatementPtr parse_set();
  StatementPtr parse_macro();
  StatementPtr parse_call();
  StatementPtr parse_filter_block();
  StatementPtr parse_with();
  StatementPtr parse_generation();
  StatementPtr parse_loop_control(const std::string& tag);
  void parse_parameters(MacroStatement& macro);
  void parse_macro_body(MacroStatement& macro, std::string_view end);
  /// A body in which break and continue may not leave the surrounding loop.
  Body parse_closed_body(std::string_view end);
  Target parse_target(bool with_attribute);
  Target parse_one_target(bool with_attribute);

  // Expressions, loosest first.
  ExpressionPtr parse_expression(bool with_condition = true);
  ExpressionPtr parse_tuple(bool with_condition, bool in_parentheses);
  bool ends_tuple() const;
  ExpressionPtr parse_conditional();
  ExpressionPtr parse_or();
  ExpressionPtr parse_and();
  ExpressionPtr parse_not();
  ExpressionPtr parse_compare();
  ExpressionPtr parse_sum();
  ExpressionPtr parse_concat();
  ExpressionPtr parse_product();
  ExpressionPtr parse_power();
  ExpressionPtr parse_unary(bool with_filter);
  ExpressionPtr parse_primary();
  ExpressionPtr parse_name();
  ExpressionPtr parse_string();
  ExpressionPtr parse_number();
  ExpressionPtr parse_list();
  ExpressionPtr parse_dict();
  ExpressionPtr parse_postfix(ExpressionPtr node);
  ExpressionPtr parse_filters_and_tests(ExpressionPtr node);
  ExpressionPtr parse_subscript(ExpressionPtr node);
  ExpressionPtr parse_filter_chain(ExpressionPtr node, bool starts_inline);
  ExpressionPtr parse_test(ExpressionPtr node);
  void parse_arguments(Expression& call);
  bool next_comparison(Comparison& comparison);

  ExpressionPtr make(ExpressionKind kind, int line) const;
  void adopt(Expression& parent, ExpressionPtr child) const;
  ExpressionPtr make_binary(ExpressionKind kind, ExpressionPtr left, ExpressionPtr right) const;

  /// Counts nested calls of the parser itself.
  class Nesting {
   public:
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.nesting_; }

   private:
    Parser& parser_;
  };

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int line_ = 1;
  int nesting_ = 0;
  bool in_loop_ = false;
  std::vector<MacroStatement*> macros_;
};

}  // namespace legato::tokenizer::jinja
