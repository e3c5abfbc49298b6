#include <charconv>

#include "tokenizer/chat_template/parser.h"
#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {

ExpressionPtr Parser::parse_primary() {
  switch (peek().kind) {
    case TokenKind::kName:
      return parse_name();
    case TokenKind::kString:
      return parse_string();
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return parse_number();
    default:
      break;
  }
  if (sees_operator("[")) return parse_list();
  if (sees_operator("{")) return parse_dict();
  if (!skip_operator("(")) refuse_token("an expression");
  ExpressionPtr inner = parse_tuple(true, true);
  expect_operator(")");
  return inner;
}

ExpressionPtr Parser::parse_name() {
  const Token token = next();
  auto node = make(ExpressionKind::kConstant, token.line);
  if (token.text == "true" || token.text == "True") {
    node->constant = Value::boolean(true);
  } else if (token.text == "false" || token.text == "False") {
    node->constant = Value::boolean(false);
  } else if (token.text == "none" || token.text == "None") {
    node->constant = Value::none();
  } else {
    node->kind = ExpressionKind::kName;
    node->name = token.text;
    for (MacroStatement* macro : macros_) {
      macro->reads_varargs |= token.text == "varargs";
      macro->reads_kwargs |= token.text == "kwargs";
      macro->reads_caller |= token.text == "caller";
    }
  }
  return node;
}

ExpressionPtr Parser::parse_string() {
  auto node = make(ExpressionKind::kConstant, peek().line);
  std::string text;
  while (sees(TokenKind::kString)) text += next().text;
  node->constant = Value::constant(text);
  return node;
}

ExpressionPtr Parser::parse_number() {
  const Token token = next();
  auto node = make(ExpressionKind::kConstant, token.line);
  const char* begin = token.text.data();
  const char* end = begin + token.text.size();
  if (token.kind == TokenKind::kInteger) {
    int64_t value = 0;
    if (std::from_chars(begin, end, value).ec != std::errc())
      refuse_unsupported("number {} is outside of 64-bit integers", quotable(token.text));
    node->constant = Value::integer(value);
  } else {
    double value = 0;
    if (std::from_chars(begin, end, value).ec != std::errc())
      refuse_unsupported("number {} is outside of the range of a double", quotable(token.text));
    node->constant = Value::real(value);
  }
  return node;
}

ExpressionPtr Parser::parse_list() {
  auto node = make(ExpressionKind::kList, next().line);
  while (!skip_operator("]")) {
    if (!node->children.empty()) {
      expect_operator(",");
      if (skip_operator("]")) break;
    }
    adopt(*node, parse_expression());
  }
  return node;
}

ExpressionPtr Parser::parse_dict() {
  auto node = make(ExpressionKind::kDict, next().line);
  while (!skip_operator("}")) {
    if (!node->children.empty()) {
      expect_operator(",");
      if (skip_operator("}")) break;
    }
    adopt(*node, parse_expression());
    expect_operator(":");
    adopt(*node, parse_expression());
  }
  return node;
}

}  // namespace legato::tokenizer::jinja
