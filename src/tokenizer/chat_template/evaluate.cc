#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/interpreter.h"
#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {

Value Interpreter::evaluate(const Expression& node) {
  const Nesting nesting(*this);
  context_.budget.work();
  context_.line = node.line;
  switch (node.kind) {
    case ExpressionKind::kConstant:
      return node.constant;
    case ExpressionKind::kName:
      return evaluate_name(node);
    case ExpressionKind::kTuple:
    case ExpressionKind::kList:
      return evaluate_sequence(node);
    case ExpressionKind::kDict:
      return evaluate_dict(node);
    case ExpressionKind::kSlice:
      return evaluate_slice(node);
    case ExpressionKind::kFilter:
      return apply_filters(node, Value());
    case ExpressionKind::kConcat:
      return evaluate_concat(node);
    case ExpressionKind::kCompare:
      return evaluate_compare(node);
    case ExpressionKind::kCall: {
      const Value callee = evaluate(*node.children[0]);
      const Arguments arguments = evaluate_arguments(node);
      context_.line = node.line;
      return call(callee, arguments);
    }
    case ExpressionKind::kConditional:
      if (is_true(evaluate(*node.children[0]))) return evaluate(*node.children[1]);
      return node.children[2] != nullptr ? evaluate(*node.children[2])
                                         : Value::undefined("an inline if without else");
    default:
      return evaluate_operator(node);
  }
}

Value Interpreter::evaluate_operator(const Expression& node) {
  const Value left = evaluate(*node.children[0]);
  switch (node.kind) {
    case ExpressionKind::kAttribute:
      return get_attribute(context_, left, node.name);
    case ExpressionKind::kItem:
      return get_item(context_, left, evaluate(*node.children[1]));
    case ExpressionKind::kAnd:
      return is_true(left) ? evaluate(*node.children[1]) : left;
    case ExpressionKind::kOr:
      return is_true(left) ? left : evaluate(*node.children[1]);
    case ExpressionKind::kNot:
      return Value::boolean(!is_true(left));
    case ExpressionKind::kNegate:
      return negate(left);
    case ExpressionKind::kPlus:
      return negate(negate(left));
    case ExpressionKind::kTest:
      return Value::boolean(node.test->holds(context_, left, evaluate_arguments(node)));
    default:
      return arithmetic(context_, node.operation, left, evaluate(*node.children[1]));
  }
}

Value Interpreter::evaluate_name(const Expression& node) {
  if (const Value* found = scope_->find(node.name)) return *found;
  if (const FunctionEntry* function = find_function(node.name))
    return Value::pointer(Kind::kFunction, function);
  return Value::undefined(fmt::format("'{}'", quotable(node.name)));
}

Value Interpreter::evaluate_sequence(const Expression& node) {
  Items items;
  for (const auto& child : node.children) items.push_back(evaluate(*child));
  const bool is_tuple = node.kind == ExpressionKind::kTuple;
  return context_.make_list(std::move(items), is_tuple ? ListFlavour::kTuple : ListFlavour::kList);
}

Value Interpreter::evaluate_dict(const Expression& node) {
  std::vector<Entry> entries;
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    Value key = evaluate(*node.children[i]);
    entries.emplace_back(std::move(key), evaluate(*node.children[i + 1]));
  }
  return context_.make_dict(std::move(entries));
}

Value Interpreter::evaluate_slice(const Expression& node) {
  const Value sequence = evaluate(*node.children[0]);
  Value parts[3];
  for (size_t i = 0; i < 3; ++i)
    parts[i] = node.children[i + 1] != nullptr ? evaluate(*node.children[i + 1]) : Value::none();
  return get_slice(context_, sequence, parts);
}

Value Interpreter::evaluate_concat(const Expression& node) {
  Text out;
  for (const auto& child : node.children) append_str(context_, evaluate(*child), out);
  return context_.make_string(std::move(out));
}

bool Interpreter::compare(Comparison comparison, const Value& a, const Value& b) {
  switch (comparison) {
    case Comparison::kEqual:
      return is_equal(context_, a, b);
    case Comparison::kNotEqual:
      return !is_equal(context_, a, b);
    case Comparison::kLess:
      return is_less(context_, a, b);
    case Comparison::kLessEqual:
      return is_less(context_, a, b) || is_equal(context_, a, b);
    case Comparison::kGreater:
      return is_less(context_, b, a);
    case Comparison::kGreaterEqual:
      return is_less(context_, b, a) || is_equal(context_, a, b);
    case Comparison::kIn:
      return contains(context_, b, a);
    default:
      return !contains(context_, b, a);
  }
}

Value Interpreter::evaluate_compare(const Expression& node) {
  Value left = evaluate(*node.children[0]);
  for (size_t i = 0; i < node.comparisons.size(); ++i) {
    Value right = evaluate(*node.children[i + 1]);
    if (!compare(node.comparisons[i], left, right)) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Arguments Interpreter::evaluate_arguments(const Expression& node) {
  Arguments arguments;
  for (size_t i = 1; i < node.children.size(); ++i)
    arguments.positional.push_back(evaluate(*node.children[i]));
  for (const Keyword& keyword : node.keywords)
    arguments.named.emplace_back(keyword.name, evaluate(*keyword.value));
  return arguments;
}

Value Interpreter::apply_filters(const Expression& node, const Value& head) {
  const Expression* input = node.children[0].get();
  Value value = head;
  if (input != nullptr)
    value = input->kind == ExpressionKind::kFilter ? apply_filters(*input, head) : evaluate(*input);
  const Arguments arguments = evaluate_arguments(node);
  context_.line = node.line;
  context_.budget.work();
  return node.filter->apply(context_, value, arguments);
}

Value Interpreter::call(const Value& callee, const Arguments& arguments) {
  const Nesting nesting(*this);
  context_.budget.work(1 + arguments.positional.size());
  switch (callee.kind()) {
    case Kind::kFunction:
      return callee.function().call(context_, arguments);
    case Kind::kMacro:
      return call_macro(callee.macro(), arguments);
    case Kind::kMethod:
      return call_method(context_, callee.method(), arguments);
    case Kind::kUndefined:
      refuse("{} is undefined", callee.hint());
    case Kind::kLoop:
      refuse_unsupported("recursive loops are not supported");
    default:
      refuse("a {} cannot be called", type_name(callee));
  }
}

void Interpreter::bind_parameters(const MacroStatement& macro, const Arguments& arguments) {
  const size_t taken = std::min(arguments.positional.size(), macro.parameters.size());
  for (size_t i = 0; i < taken; ++i) define(macro.parameters[i].name, arguments.positional[i]);
  if (arguments.positional.size() > taken && !macro.reads_varargs)
    refuse("macro '{}' got {} arguments, expected at most {}", quotable(macro.name),
           arguments.positional.size(), taken);
  if (macro.reads_varargs)
    define("varargs",
           context_.make_list(Items(arguments.positional.begin() + static_cast<ptrdiff_t>(taken),
                                    arguments.positional.end()),
                              ListFlavour::kTuple));
  std::vector<Entry> others;
  if (macro.reads_caller)
    define("caller", Value::undefined("'caller', as the macro was not used in a call block,"));
  for (const auto& [name, value] : arguments.named) {
    const bool is_parameter = std::any_of(macro.parameters.begin(), macro.parameters.end(),
                                          [&name = name](const auto& p) { return p.name == name; });
    if (is_parameter && scope_->variables.contains(name) &&
        !(name == "caller" && macro.reads_caller))
      refuse("macro '{}' got its argument '{}' twice", quotable(macro.name), quotable(name));
    if (is_parameter || (name == "caller" && macro.reads_caller)) {
      define(name, value);
    } else if (macro.reads_kwargs) {
      others.emplace_back(context_.make_string(name, true), value);
    } else {
      refuse("macro '{}' has no argument '{}'", quotable(macro.name), quotable(name));
    }
  }
  if (macro.reads_kwargs) define("kwargs", context_.make_dict(std::move(others)));
  for (const auto& parameter : macro.parameters) {
    if (scope_->variables.contains(parameter.name)) continue;
    define(parameter.name,
           parameter.default_value != nullptr
               ? evaluate(*parameter.default_value)
               : Value::undefined(fmt::format("argument '{}'", quotable(parameter.name))));
  }
}

Value Interpreter::call_macro(const MacroObject& macro, const Arguments& arguments) {
  const int line = context_.line;
  const auto scope = inner_scope(macro.scope);
  {
    const InScope in_scope(*this, scope);
    bind_parameters(*macro.definition, arguments);
  }
  Value result = context_.make_string(capture(macro.definition->body, scope));
  context_.line = line;
  return result;
}

}  // namespace legato::tokenizer::jinja
