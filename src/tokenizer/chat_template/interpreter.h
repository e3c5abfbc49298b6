#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tokenizer/chat_template/ast.h"
#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

/// Walks a parsed template once and collects what it prints. Throws TemplateError; context.line
/// then says where. One thread.
class Interpreter {
 public:
  Interpreter(Context& context, std::shared_ptr<Scope> variables)
      : context_(context), scope_(std::move(variables)) {}

  Text run(const Body& body);

 private:
  enum class Flow { kNext, kBreak, kContinue };
  struct Output {
    Text text;
    Charge charge;
  };
  /// Counts nested evaluations, so that a recursive macro ends before the stack does.
  class Nesting {
   public:
    explicit Nesting(Interpreter& interpreter);
    ~Nesting() { --interpreter_.nesting_; }

   private:
    Interpreter& interpreter_;
  };
  /// Makes `scope` the current one until it is left.
  class InScope {
   public:
    InScope(Interpreter& interpreter, std::shared_ptr<Scope> scope)
        : interpreter_(interpreter), before_(std::exchange(interpreter.scope_, std::move(scope))) {}
    ~InScope() { interpreter_.scope_ = std::move(before_); }

   private:
    Interpreter& interpreter_;
    std::shared_ptr<Scope> before_;
  };

  // Statements.
  Flow execute(const Body& body);
  Flow execute(const Statement& statement);
  Flow execute_if(const IfStatement& statement);
  Flow execute_for(const ForStatement& statement);
  Value select_elements(const ForStatement& statement, const Value& sequence);
  void execute_block(const BlockStatement& statement);
  void execute_call(const CallBlockStatement& statement);
  Flow execute_with(const WithStatement& statement);
  void assign(const Target& target, const Value& value);
  /// Runs a body in `scope` and returns what it printed.
  Text capture(const Body& body, std::shared_ptr<Scope> scope);
  void emit(const Text& text);
  std::shared_ptr<Scope> inner_scope(std::shared_ptr<Scope> parent);
  void define(const std::string& name, Value value);

  // Expressions.
  Value evaluate(const Expression& node);
  Value evaluate_name(const Expression& node);
  Value evaluate_sequence(const Expression& node);
  Value evaluate_dict(const Expression& node);
  Value evaluate_slice(const Expression& node);
  Value evaluate_concat(const Expression& node);
  Value evaluate_compare(const Expression& node);
  Value evaluate_operator(const Expression& node);
  bool compare(Comparison comparison, const Value& a, const Value& b);
  Value apply_filters(const Expression& node, const Value& head);
  Arguments evaluate_arguments(const Expression& node);
  Value call(const Value& callee, const Arguments& arguments);
  Value call_macro(const MacroObject& macro, const Arguments& arguments);
  void bind_parameters(const MacroStatement& macro, const Arguments& arguments);

  Context& context_;
  std::shared_ptr<Scope> scope_;
  Output* output_ = nullptr;
  int nesting_ = 0;
};

}  // namespace legato::tokenizer::jinja
