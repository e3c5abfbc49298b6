#include "tokenizer/chat_template/interpreter.h"

#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {

Interpreter::Nesting::Nesting(Interpreter& interpreter) : interpreter_(interpreter) {
  const int limit = interpreter.context_.budget.limits().max_eval_depth;
  if (interpreter.nesting_ >= limit) refuse_cost("nests calls deeper than a template may");
  ++interpreter.nesting_;
}

Text Interpreter::run(const Body& body) { return capture(body, scope_); }

Text Interpreter::capture(const Body& body, std::shared_ptr<Scope> scope) {
  const InScope in_scope(*this, std::move(scope));
  Output output;
  output.charge = Charge(context_.budget, 0);
  struct Redirect {
    Output*& current;
    Output* before;
    ~Redirect() { current = before; }
  } redirect{output_, std::exchange(output_, &output)};
  execute(body);
  return std::move(output.text);
}

void Interpreter::emit(const Text& text) {
  const size_t limit = context_.budget.limits().max_output_bytes;
  if (text.size() > limit - output_->text.size())
    refuse_cost("prints more than {} bytes, the most a prompt may have", limit);
  const size_t before = output_->text.held_bytes();
  output_->text.append(text);
  output_->charge.grow(output_->text.held_bytes() - before);
}

std::shared_ptr<Scope> Interpreter::inner_scope(std::shared_ptr<Scope> parent) {
  context_.budget.work(2);
  auto scope = std::make_shared<Scope>();
  scope->parent = std::move(parent);
  return scope;
}

void Interpreter::define(const std::string& name, Value value) {
  scope_->variables.insert_or_assign(name, std::move(value));
}

Interpreter::Flow Interpreter::execute(const Body& body) {
  const Nesting nesting(*this);
  for (const StatementPtr& statement : body) {
    context_.budget.work();
    context_.line = statement->line;
    if (const Flow flow = execute(*statement); flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Interpreter::Flow Interpreter::execute(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kData:
      emit(Text(static_cast<const DataStatement&>(statement).text, true));
      return Flow::kNext;
    case StatementKind::kOutput:
      for (const auto& value : static_cast<const OutputStatement&>(statement).values) {
        Text text;
        append_str(context_, evaluate(*value), text);
        emit(text);
      }
      return Flow::kNext;
    case StatementKind::kIf:
      return execute_if(static_cast<const IfStatement&>(statement));
    case StatementKind::kFor:
      return execute_for(static_cast<const ForStatement&>(statement));
    case StatementKind::kSet: {
      const auto& node = static_cast<const SetStatement&>(statement);
      assign(node.target, evaluate(*node.value));
      return Flow::kNext;
    }
    case StatementKind::kMacro: {
      const auto& node = static_cast<const MacroStatement&>(statement);
      define(node.name, context_.make_macro(node, scope_));
      return Flow::kNext;
    }
    case StatementKind::kCallBlock:
      execute_call(static_cast<const CallBlockStatement&>(statement));
      return Flow::kNext;
    case StatementKind::kWith:
      return execute_with(static_cast<const WithStatement&>(statement));
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
    default:
      execute_block(static_cast<const BlockStatement&>(statement));
      return Flow::kNext;
  }
}

Interpreter::Flow Interpreter::execute_if(const IfStatement& statement) {
  for (const auto& branch : statement.branches)
    if (branch.condition == nullptr || is_true(evaluate(*branch.condition)))
      return execute(branch.body);
  return Flow::kNext;
}

Value Interpreter::select_elements(const ForStatement& statement, const Value& sequence) {
  Items chosen;
  const auto outer = scope_;
  for (const Value& item : sequence.list().items) {
    const InScope in_scope(*this, inner_scope(outer));
    assign(statement.target, item);
    if (is_true(evaluate(*statement.condition))) chosen.push_back(item);
  }
  return context_.make_list(std::move(chosen), ListFlavour::kList, sequence.from_user());
}

Interpreter::Flow Interpreter::execute_for(const ForStatement& statement) {
  Value sequence = iterate(context_, evaluate(*statement.sequence));
  if (statement.condition != nullptr) sequence = select_elements(statement, sequence);
  const Items& items = sequence.list().items;
  const auto outer = scope_;
  if (items.empty()) {
    const InScope in_scope(*this, inner_scope(outer));
    return execute(statement.otherwise);
  }
  LoopObject& loop = context_.make_loop();
  loop.sequence = sequence;
  for (size_t i = 0; i < items.size(); ++i) {
    loop.index = i;
    const InScope in_scope(*this, inner_scope(outer));
    define("loop", Value::pointer(Kind::kLoop, &loop));
    assign(statement.target, items[i]);
    if (execute(statement.body) == Flow::kBreak) break;
  }
  loop.sequence = Value();
  return Flow::kNext;
}

void Interpreter::execute_block(const BlockStatement& statement) {
  Value text = context_.make_string(capture(statement.body, inner_scope(scope_)));
  if (statement.filter != nullptr) text = apply_filters(*statement.filter, text);
  if (statement.kind == StatementKind::kSetBlock) return assign(statement.target, text);
  emit(to_string_value(context_, text).text());
}

void Interpreter::execute_call(const CallBlockStatement& statement) {
  const Value callee = evaluate(*statement.call->children[0]);
  Arguments arguments = evaluate_arguments(*statement.call);
  arguments.named.emplace_back("caller", context_.make_macro(*statement.caller, scope_));
  emit(to_string_value(context_, call(callee, arguments)).text());
}

Interpreter::Flow Interpreter::execute_with(const WithStatement& statement) {
  Items values;
  for (const auto& [target, expression] : statement.bindings)
    values.push_back(evaluate(*expression));
  const InScope in_scope(*this, inner_scope(scope_));
  for (size_t i = 0; i < values.size(); ++i) assign(statement.bindings[i].first, values[i]);
  return execute(statement.body);
}

void Interpreter::assign(const Target& target, const Value& value) {
  if (!target.parts.empty()) {
    const Value parts = iterate(context_, value);
    if (parts.list().items.size() != target.parts.size())
      refuse("cannot unpack {} values into {} names", parts.list().items.size(),
             target.parts.size());
    for (size_t i = 0; i < target.parts.size(); ++i) assign(target.parts[i], parts.list().items[i]);
    return;
  }
  if (target.attribute.empty()) return define(target.name, value);
  const Value* owner = scope_->find(target.name);
  if (owner == nullptr || !owner->is(Kind::kNamespace))
    refuse("cannot set an attribute of '{}', which is not a namespace", quotable(target.name));
  owner->ns().attributes.insert_or_assign(target.attribute, value);
}

}  // namespace legato::tokenizer::jinja
