#include "tokenizer/chat_template/parser.h"
#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {
namespace {

/// Trees deeper than this, as long chains of + make, would use up the stack when evaluated.
constexpr int kMaxTreeDepth = 200;

}  // namespace

ExpressionPtr Parser::make(ExpressionKind kind, int line) const {
  auto node = std::make_unique<Expression>();
  node->kind = kind;
  node->line = line;
  return node;
}

void Parser::adopt(Expression& parent, ExpressionPtr child) const {
  if (child != nullptr) parent.depth = std::max(parent.depth, child->depth + 1);
  if (parent.depth > kMaxTreeDepth) refuse_cost("chains more than {} operations", kMaxTreeDepth);
  parent.children.push_back(std::move(child));
}

ExpressionPtr Parser::make_binary(ExpressionKind kind, ExpressionPtr left,
                                  ExpressionPtr right) const {
  auto node = make(kind, left->line);
  adopt(*node, std::move(left));
  adopt(*node, std::move(right));
  return node;
}

ExpressionPtr Parser::parse_expression(bool with_condition) {
  const Nesting nesting(*this);
  return with_condition ? parse_conditional() : parse_or();
}

bool Parser::ends_tuple() const {
  return sees(TokenKind::kVariableEnd) || sees(TokenKind::kBlockEnd) || sees_operator(")") ||
         sees(TokenKind::kEnd);
}

ExpressionPtr Parser::parse_tuple(bool with_condition, bool in_parentheses) {
  const int line = peek().line;
  if (in_parentheses && sees_operator(")")) return make(ExpressionKind::kTuple, line);
  ExpressionPtr first = parse_expression(with_condition);
  if (!sees_operator(",")) return first;
  auto tuple = make(ExpressionKind::kTuple, line);
  adopt(*tuple, std::move(first));
  while (skip_operator(",")) {
    if (ends_tuple()) break;
    adopt(*tuple, parse_expression(with_condition));
  }
  return tuple;
}

ExpressionPtr Parser::parse_conditional() {
  ExpressionPtr value = parse_or();
  while (sees_name("if")) {
    auto node = make(ExpressionKind::kConditional, next().line);
    adopt(*node, parse_or());
    adopt(*node, std::move(value));
    adopt(*node, skip_name("else") ? parse_expression() : nullptr);
    value = std::move(node);
  }
  return value;
}

ExpressionPtr Parser::parse_or() {
  ExpressionPtr left = parse_and();
  while (skip_name("or")) left = make_binary(ExpressionKind::kOr, std::move(left), parse_and());
  return left;
}

ExpressionPtr Parser::parse_and() {
  ExpressionPtr left = parse_not();
  while (skip_name("and")) left = make_binary(ExpressionKind::kAnd, std::move(left), parse_not());
  return left;
}

ExpressionPtr Parser::parse_not() {
  if (!sees_name("not")) return parse_compare();
  const Nesting nesting(*this);
  auto node = make(ExpressionKind::kNot, next().line);
  adopt(*node, parse_not());
  return node;
}

bool Parser::next_comparison(Comparison& comparison) {
  static constexpr std::pair<std::string_view, Comparison> kOperators[] = {
      {"==", Comparison::kEqual},  {"!=", Comparison::kNotEqual},
      {"<", Comparison::kLess},    {"<=", Comparison::kLessEqual},
      {">", Comparison::kGreater}, {">=", Comparison::kGreaterEqual},
  };
  for (const auto& [text, meaning] : kOperators)
    if (skip_operator(text)) {
      comparison = meaning;
      return true;
    }
  comparison = sees_name("in") ? Comparison::kIn : Comparison::kNotIn;
  if (skip_name("in")) return true;
  if (!sees_name("not") || !sees_name("in", 1)) return false;
  next();
  next();
  return true;
}

ExpressionPtr Parser::parse_compare() {
  ExpressionPtr left = parse_sum();
  Comparison comparison{};
  if (!next_comparison(comparison)) return left;
  auto node = make(ExpressionKind::kCompare, left->line);
  adopt(*node, std::move(left));
  do {
    node->comparisons.push_back(comparison);
    adopt(*node, parse_sum());
  } while (next_comparison(comparison));
  return node;
}

ExpressionPtr Parser::parse_sum() {
  ExpressionPtr left = parse_concat();
  while (sees_operator("+") || sees_operator("-")) {
    const bool adds = next().text == "+";
    left = make_binary(ExpressionKind::kArithmetic, std::move(left), parse_concat());
    left->operation = adds ? Arithmetic::kAdd : Arithmetic::kSubtract;
  }
  return left;
}

ExpressionPtr Parser::parse_concat() {
  ExpressionPtr first = parse_product();
  if (!sees_operator("~")) return first;
  auto node = make(ExpressionKind::kConcat, first->line);
  adopt(*node, std::move(first));
  while (skip_operator("~")) adopt(*node, parse_product());
  return node;
}

ExpressionPtr Parser::parse_product() {
  static constexpr std::pair<std::string_view, Arithmetic> kOperators[] = {
      {"*", Arithmetic::kMultiply},
      {"/", Arithmetic::kDivide},
      {"//", Arithmetic::kFloorDivide},
      {"%", Arithmetic::kModulo},
  };
  ExpressionPtr left = parse_power();
  for (;;) {
    const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                     [&](const auto& entry) { return sees_operator(entry.first); });
    if (found == std::end(kOperators)) return left;
    next();
    left = make_binary(ExpressionKind::kArithmetic, std::move(left), parse_power());
    left->operation = found->second;
  }
}

ExpressionPtr Parser::parse_power() {
  ExpressionPtr left = parse_unary(true);
  while (skip_operator("**")) {
    left = make_binary(ExpressionKind::kArithmetic, std::move(left), parse_unary(true));
    left->operation = Arithmetic::kPower;
  }
  return left;
}

ExpressionPtr Parser::parse_unary(bool with_filter) {
  const Nesting nesting(*this);
  ExpressionPtr node;
  if (sees_operator("-") || sees_operator("+")) {
    const Token sign = next();
    node = make(sign.text == "-" ? ExpressionKind::kNegate : ExpressionKind::kPlus, sign.line);
    adopt(*node, parse_unary(false));
  } else {
    node = parse_primary();
  }
  node = parse_postfix(std::move(node));
  return with_filter ? parse_filters_and_tests(std::move(node)) : std::move(node);
}

ExpressionPtr Parser::parse_postfix(ExpressionPtr node) {
  for (;;) {
    if (sees_operator(".") || sees_operator("[")) {
      node = parse_subscript(std::move(node));
    } else if (sees_operator("(")) {
      auto call = make(ExpressionKind::kCall, peek().line);
      adopt(*call, std::move(node));
      parse_arguments(*call);
      node = std::move(call);
    } else {
      return node;
    }
  }
}

ExpressionPtr Parser::parse_filters_and_tests(ExpressionPtr node) {
  for (;;) {
    if (sees_operator("|")) {
      node = parse_filter_chain(std::move(node), false);
    } else if (sees_name("is")) {
      node = parse_test(std::move(node));
    } else if (sees_operator("(")) {
      node = parse_postfix(std::move(node));
    } else {
      return node;
    }
  }
}

ExpressionPtr Parser::parse_subscript(ExpressionPtr node) {
  const Token open = next();
  if (open.text == ".") {
    if (sees(TokenKind::kInteger)) {
      auto item = make(ExpressionKind::kItem, open.line);
      adopt(*item, std::move(node));
      adopt(*item, parse_number());
      return item;
    }
    auto attribute = make(ExpressionKind::kAttribute, open.line);
    attribute->name = expect_any_name("the name of an attribute");
    adopt(*attribute, std::move(node));
    return attribute;
  }
  std::vector<ExpressionPtr> parts(3);
  size_t part = 0;
  bool is_slice = false;
  while (!sees_operator("]")) {
    if (skip_operator(":")) {
      is_slice = true;
      if (++part > 2) refuse_token("']'");
    } else {
      if (parts[part] != nullptr) refuse_token("']'");
      parts[part] = parse_expression();
    }
  }
  next();
  if (!is_slice && parts[0] == nullptr) refuse_malformed("a subscript is empty");
  auto item = make(is_slice ? ExpressionKind::kSlice : ExpressionKind::kItem, open.line);
  adopt(*item, std::move(node));
  for (size_t i = 0; i < (is_slice ? 3 : 1); ++i) adopt(*item, std::move(parts[i]));
  return item;
}

ExpressionPtr Parser::parse_filter_chain(ExpressionPtr node, bool starts_inline) {
  while (sees_operator("|") || starts_inline) {
    if (!starts_inline) next();
    starts_inline = false;
    auto filter = make(ExpressionKind::kFilter, peek().line);
    filter->name = expect_any_name("the name of a filter");
    filter->filter = find_filter(filter->name);
    if (filter->filter == nullptr)
      refuse_unsupported("unknown filter '{}'", quotable(filter->name));
    adopt(*filter, std::move(node));
    if (sees_operator("(")) parse_arguments(*filter);
    node = std::move(filter);
  }
  return node;
}

ExpressionPtr Parser::parse_test(ExpressionPtr node) {
  const int line = next().line;
  const bool negated = skip_name("not");
  auto test = make(ExpressionKind::kTest, line);
  test->name = expect_any_name("the name of a test");
  test->test = find_test(test->name);
  if (test->test == nullptr) refuse_unsupported("unknown test '{}'", quotable(test->name));
  adopt(*test, std::move(node));
  const TokenKind kind = peek().kind;
  const bool has_value = kind == TokenKind::kName || kind == TokenKind::kString ||
                         kind == TokenKind::kInteger || kind == TokenKind::kFloat ||
                         sees_operator("[") || sees_operator("{");
  if (sees_operator("(")) {
    parse_arguments(*test);
  } else if (has_value && !sees_name("else") && !sees_name("or") && !sees_name("and")) {
    if (sees_name("is")) refuse_malformed("tests cannot be chained with 'is'");
    adopt(*test, parse_postfix(parse_primary()));
  }
  if (!negated) return test;
  auto inverse = make(ExpressionKind::kNot, line);
  adopt(*inverse, std::move(test));
  return inverse;
}

void Parser::parse_arguments(Expression& call) {
  expect_operator("(");
  for (bool first = true; !skip_operator(")"); first = false) {
    if (!first) {
      expect_operator(",");
      if (skip_operator(")")) return;
    }
    if (sees_operator("*") || sees_operator("**"))
      refuse_unsupported("unpacking with {} is not supported", peek().text);
    if (sees(TokenKind::kName) && sees_operator("=", 1)) {
      Keyword keyword;
      keyword.name = next().text;
      next();
      keyword.value = parse_expression();
      call.depth = std::max(call.depth, keyword.value->depth + 1);
      call.keywords.push_back(std::move(keyword));
    } else {
      if (!call.keywords.empty()) refuse_malformed("a positional argument follows a named one");
      adopt(call, parse_expression());
    }
  }
}

}  // namespace legato::tokenizer::jinja
