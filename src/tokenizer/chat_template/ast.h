#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/value.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

enum class ExpressionKind {
  kConstant,   ///< constant
  kName,       ///< name
  kTuple,      ///< children
  kList,       ///< children
  kDict,       ///< children: key, value, key, value...
  kAttribute,  ///< children[0].name
  kItem,       ///< children[0][children[1]]
  kSlice,      ///< children[0][1:2:3]; absent parts are null
  kCall,       ///< children[0](children[1...], keywords)
  kFilter,  ///< children[0] | filter(children[1...], keywords); children[0] is null at the head of
            ///< a filter block
  kTest,    ///< children[0] is test(children[1...], keywords)
  kNot,     ///< not children[0]
  kNegate,  ///< -children[0]
  kPlus,    ///< +children[0]
  kArithmetic,   ///< children[0] operation children[1]
  kAnd,          ///< children[0] and children[1]
  kOr,           ///< children[0] or children[1]
  kConcat,       ///< children joined by ~
  kCompare,      ///< children[0] comparisons[0] children[1] comparisons[1] children[2]...
  kConditional,  ///< children[1] if children[0] else children[2], which may be null
};

enum class Comparison {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn
};

struct Keyword {
  std::string name;
  ExpressionPtr value;
};

struct Expression {
  ExpressionKind kind;
  int line = 0;
  int depth = 1;  ///< of the tree below
  std::string name;
  Value constant;
  std::vector<ExpressionPtr> children;
  std::vector<Keyword> keywords;
  Arithmetic operation = Arithmetic::kAdd;
  std::vector<Comparison> comparisons;
  const FilterEntry* filter = nullptr;
  const TestEntry* test = nullptr;
};

/// What a for or set binds: a name, ns.attribute, or a tuple of targets.
struct Target {
  std::string name;
  std::string attribute;      ///< not empty for ns.attribute
  std::vector<Target> parts;  ///< not empty for a tuple
  int line = 0;
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;
using Body = std::vector<StatementPtr>;

enum class StatementKind {
  kData,
  kOutput,
  kIf,
  kFor,
  kSet,
  kSetBlock,
  kMacro,
  kCallBlock,
  kFilterBlock,
  kWith,
  kGeneration,
  kBreak,
  kContinue,
};

struct Statement {
  Statement(StatementKind statement_kind, int at_line) : kind(statement_kind), line(at_line) {}
  virtual ~Statement() = default;

  StatementKind kind;
  int line;
};

struct DataStatement : Statement {
  explicit DataStatement(int at_line) : Statement(StatementKind::kData, at_line) {}
  std::string text;
};

struct OutputStatement : Statement {
  explicit OutputStatement(int at_line) : Statement(StatementKind::kOutput, at_line) {}
  std::vector<ExpressionPtr> values;
};

struct IfStatement : Statement {
  explicit IfStatement(int at_line) : Statement(StatementKind::kIf, at_line) {}
  struct Branch {
    ExpressionPtr condition;  ///< null for else
    Body body;
  };
  std::vector<Branch> branches;
};

struct ForStatement : Statement {
  explicit ForStatement(int at_line) : Statement(StatementKind::kFor, at_line) {}
  Target target;
  ExpressionPtr sequence;
  ExpressionPtr condition;  ///< null without an `if` clause
  Body body;
  Body otherwise;
};

/// {% set target = value %}.
struct SetStatement : Statement {
  explicit SetStatement(int at_line) : Statement(StatementKind::kSet, at_line) {}
  Target target;
  ExpressionPtr value;
};

/// A body whose output goes somewhere: into a target, through a filter, or through as it is.
struct BlockStatement : Statement {
  using Statement::Statement;
  Target target;
  ExpressionPtr filter;  ///< chain of filters with an empty head, or null
  Body body;
};

struct WithStatement : Statement {
  explicit WithStatement(int at_line) : Statement(StatementKind::kWith, at_line) {}
  std::vector<std::pair<Target, ExpressionPtr>> bindings;
  Body body;
};

/// A macro, or the body of a call block, which is a macro without a name.
struct MacroStatement : Statement {
  explicit MacroStatement(int at_line) : Statement(StatementKind::kMacro, at_line) {}
  struct Parameter {
    std::string name;
    ExpressionPtr default_value;  ///< may be null
  };
  std::string name;
  std::vector<Parameter> parameters;
  Body body;
  bool reads_varargs = false;
  bool reads_kwargs = false;
  bool reads_caller = false;
};

struct CallBlockStatement : Statement {
  explicit CallBlockStatement(int at_line) : Statement(StatementKind::kCallBlock, at_line) {}
  std::unique_ptr<MacroStatement> caller;
  ExpressionPtr call;  ///< a kCall
};

}  // namespace legato::tokenizer::jinja
