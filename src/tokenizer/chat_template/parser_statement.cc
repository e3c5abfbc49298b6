#include <algorithm>

#include "tokenizer/chat_template/parser.h"
#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {
namespace {

bool is_constant_name(std::string_view name) {
  return name == "true" || name == "false" || name == "none" || name == "True" || name == "False" ||
         name == "None";
}

std::string join(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const auto name : names) text += (text.empty() ? "" : " or ") + std::string(name);
  return text;
}

}  // namespace

Body Parser::parse(std::string_view source) {
  tokens_ = tokenize(source, line_);
  at_ = 0;
  return parse_body({});
}

Body Parser::parse_body(Names ends) {
  const Nesting nesting(*this);
  const int begin_line = line_;
  Body body;
  while (!sees(TokenKind::kEnd)) {
    if (sees(TokenKind::kData)) {
      auto data = std::make_unique<DataStatement>(peek().line);
      data->text = next().text;
      body.push_back(std::move(data));
    } else if (sees(TokenKind::kVariableBegin)) {
      body.push_back(parse_output());
    } else {
      next();
      if (!sees(TokenKind::kName)) refuse_token("the name of a tag");
      if (std::find(ends.begin(), ends.end(), peek().text) != ends.end()) return body;
      const std::string tag = next().text;
      body.push_back(parse_statement(tag));
    }
  }
  if (ends.size() != 0)
    refuse_malformed("found the end of the template, expected {} for the block of line {}",
                     join(ends), begin_line);
  return body;
}

StatementPtr Parser::parse_output() {
  auto output = std::make_unique<OutputStatement>(next().line);
  output->values.push_back(parse_tuple(true, false));
  if (!sees(TokenKind::kVariableEnd)) refuse_token("}}");
  next();
  return output;
}

StatementPtr Parser::parse_statement(const std::string& tag) {
  if (tag == "if") return parse_if();
  if (tag == "for") return parse_for();
  if (tag == "set") return parse_set();
  if (tag == "macro") return parse_macro();
  if (tag == "call") return parse_call();
  if (tag == "filter") return parse_filter_block();
  if (tag == "with") return parse_with();
  if (tag == "generation") return parse_generation();
  if (tag == "break" || tag == "continue") return parse_loop_control(tag);
  if (tag.starts_with("end") || tag == "else" || tag == "elif")
    refuse_malformed("tag '{}' does not close or continue the block that it stands in",
                     quotable(tag));
  refuse_unsupported("unknown tag '{}'", quotable(tag));
}

StatementPtr Parser::parse_if() {
  auto node = std::make_unique<IfStatement>(line_);
  for (;;) {
    IfStatement::Branch branch;
    branch.condition = parse_tuple(false, false);
    expect_block_end();
    branch.body = parse_body({"elif", "else", "endif"});
    node->branches.push_back(std::move(branch));
    if (skip_name("elif")) continue;
    if (skip_name("else")) {
      expect_block_end();
      node->branches.push_back({nullptr, parse_body({"endif"})});
    }
    next();
    expect_block_end();
    return node;
  }
}

StatementPtr Parser::parse_for() {
  auto node = std::make_unique<ForStatement>(line_);
  node->target = parse_target(false);
  expect_name("in");
  node->sequence = parse_tuple(false, false);
  if (skip_name("if")) node->condition = parse_expression();
  if (sees_name("recursive")) refuse_unsupported("recursive loops are not supported");
  expect_block_end();
  const bool was_in_loop = std::exchange(in_loop_, true);
  node->body = parse_body({"else", "endfor"});
  in_loop_ = was_in_loop;
  if (next().text == "else") {
    expect_block_end();
    node->otherwise = parse_body({"endfor"});
    next();
  }
  expect_block_end();
  return node;
}

Target Parser::parse_one_target(bool with_attribute) {
  const Nesting nesting(*this);
  Target target;
  target.line = peek().line;
  if (skip_operator("(")) {
    target = parse_target(with_attribute);
    expect_operator(")");
    return target;
  }
  target.name = expect_any_name("the name of a variable");
  if (is_constant_name(target.name)) refuse_malformed("cannot assign to '{}'", target.name);
  if (with_attribute && skip_operator("."))
    target.attribute = expect_any_name("the name of an attribute");
  return target;
}

Target Parser::parse_target(bool with_attribute) {
  Target first = parse_one_target(with_attribute);
  if (!sees_operator(",")) return first;
  Target tuple;
  tuple.line = first.line;
  tuple.parts.push_back(std::move(first));
  while (skip_operator(",")) {
    if (!sees(TokenKind::kName) && !sees_operator("(")) break;
    if (sees_name("in")) break;
    tuple.parts.push_back(parse_one_target(with_attribute));
  }
  return tuple;
}

StatementPtr Parser::parse_set() {
  const int line = line_;
  Target target = parse_target(true);
  if (skip_operator("=")) {
    auto node = std::make_unique<SetStatement>(line);
    node->target = std::move(target);
    node->value = parse_tuple(true, false);
    expect_block_end();
    return node;
  }
  auto node = std::make_unique<BlockStatement>(StatementKind::kSetBlock, line);
  node->target = std::move(target);
  if (sees_operator("|")) node->filter = parse_filter_chain(nullptr, false);
  expect_block_end();
  node->body = parse_closed_body("endset");
  return node;
}

Body Parser::parse_closed_body(std::string_view end) {
  const bool was_in_loop = std::exchange(in_loop_, false);
  Body body = parse_body({end});
  in_loop_ = was_in_loop;
  next();
  expect_block_end();
  return body;
}

void Parser::parse_parameters(MacroStatement& macro) {
  expect_operator("(");
  while (!skip_operator(")")) {
    if (!macro.parameters.empty()) {
      expect_operator(",");
      if (skip_operator(")")) return;
    }
    MacroStatement::Parameter parameter;
    parameter.name = expect_any_name("the name of a parameter");
    for (const auto& other : macro.parameters)
      if (other.name == parameter.name)
        refuse_malformed("parameter '{}' occurs twice", quotable(parameter.name));
    if (skip_operator("=")) {
      parameter.default_value = parse_expression();
    } else if (!macro.parameters.empty() && macro.parameters.back().default_value != nullptr) {
      refuse_malformed("parameter '{}' without default follows one with default",
                       quotable(parameter.name));
    }
    macro.parameters.push_back(std::move(parameter));
  }
}

void Parser::parse_macro_body(MacroStatement& macro, std::string_view end) {
  macros_.push_back(&macro);
  macro.body = parse_closed_body(end);
  macros_.pop_back();
}

StatementPtr Parser::parse_macro() {
  auto macro = std::make_unique<MacroStatement>(line_);
  macro->name = expect_any_name("the name of a macro");
  if (is_constant_name(macro->name)) refuse_malformed("cannot define a macro '{}'", macro->name);
  parse_parameters(*macro);
  expect_block_end();
  parse_macro_body(*macro, "endmacro");
  return macro;
}

StatementPtr Parser::parse_call() {
  auto node = std::make_unique<CallBlockStatement>(line_);
  node->caller = std::make_unique<MacroStatement>(line_);
  node->caller->name = "caller";
  if (sees_operator("(")) parse_parameters(*node->caller);
  node->call = parse_expression();
  if (node->call->kind != ExpressionKind::kCall) refuse_malformed("a call block needs a call");
  expect_block_end();
  parse_macro_body(*node->caller, "endcall");
  return node;
}

StatementPtr Parser::parse_filter_block() {
  auto node = std::make_unique<BlockStatement>(StatementKind::kFilterBlock, line_);
  node->filter = parse_filter_chain(nullptr, true);
  expect_block_end();
  node->body = parse_closed_body("endfilter");
  return node;
}

StatementPtr Parser::parse_with() {
  auto node = std::make_unique<WithStatement>(line_);
  while (!sees(TokenKind::kBlockEnd)) {
    if (!node->bindings.empty()) expect_operator(",");
    Target target = parse_one_target(false);
    expect_operator("=");
    node->bindings.emplace_back(std::move(target), parse_expression());
  }
  expect_block_end();
  node->body = parse_body({"endwith"});
  next();
  expect_block_end();
  return node;
}

StatementPtr Parser::parse_generation() {
  auto node = std::make_unique<BlockStatement>(StatementKind::kGeneration, line_);
  expect_block_end();
  node->body = parse_closed_body("endgeneration");
  return node;
}

StatementPtr Parser::parse_loop_control(const std::string& tag) {
  if (!in_loop_) refuse_malformed("'{}' stands outside of a loop", tag);
  const auto kind = tag == "break" ? StatementKind::kBreak : StatementKind::kContinue;
  auto node = std::make_unique<Statement>(kind, line_);
  expect_block_end();
  return node;
}

}  // namespace legato::tokenizer::jinja
