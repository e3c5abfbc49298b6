#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace legato::ir {

/// What an op does along the sequence axis of its data. From these the compiler proves that a graph
/// may run incrementally with a cache, or names the node that stops it.
enum class SequenceBehaviour {
  kTokenLocal,       ///< output at position i depends on inputs at i alone
  kCausalAttention,  ///< depends on positions <= i
  kPositional,       ///< token-local, and reads the position's number
  kReduction,        ///< combines all positions
  kShift,            ///< moves positions (slice, concat, pad along the axis)
  kOpaque,           ///< nothing is known
};
std::string_view behaviour_name(SequenceBehaviour behaviour);

/// What a schema sees of a node: operand types and, where they are constants, their data.
struct NodeView {
  const Graph& graph;
  const Node& node;

  bool has(size_t input) const { return node.input(input) != kNone; }
  const ValueType& type(size_t input) const { return graph.value(node.input(input)).type; }
  const ConstantPtr& constant(size_t input) const {
    return graph.value(node.input(input)).constant;
  }
  /// Known elements of a small integer input (see Value::known), or null.
  const std::vector<Dim>* known(size_t input) const {
    const ValueId id = node.input(input);
    return id != kNone && graph.value(id).known ? &*graph.value(id).known : nullptr;
  }
  /// An Error that names op and node.
  [[noreturn]] void refuse(const std::string& message) const;
};

enum class AttributeType { kInt, kFloat, kString, kInts, kFloats };

struct AttributeSpec {
  std::string name;
  AttributeType type = AttributeType::kInt;
  std::string doc;
  std::optional<Attribute> otherwise;  ///< what an absent one means; it is filled in
  bool required = false;
};

/// Everything the compiler knows of an op. Each op is one file in ir/ops that registers one of
/// these.
struct OpSchema {
  std::string name;
  std::string doc;  ///< operands with shapes, formula, source
  size_t min_inputs = 0;
  size_t max_inputs = 0;
  size_t num_outputs = 1;                ///< 0: any number, judged by infer()
  std::vector<std::string> input_names;  ///< max_inputs of them, or one that stands for all
  std::vector<AttributeSpec> attributes;
  /// Matrices of weights that may have a quantised dtype; no other operand may.
  std::vector<size_t> quantised_inputs = {};
  /// Types of the outputs; refuses operands that don't fit.
  std::function<std::vector<ValueType>(const NodeView&)> infer;
  /// Behaviour along axis `axis` of input 0's data.
  std::function<SequenceBehaviour(const NodeView&, int axis)> behaviour;
  /// Elements of output 0 where it is a small integer tensor and they are known; may be null.
  std::function<std::optional<std::vector<Dim>>(const NodeView&)> known;
};

class OpRegistry {
 public:
  void add(OpSchema schema);
  /// Null when unknown.
  const OpSchema* find(std::string_view name) const;
  std::vector<const OpSchema*> all() const;

 private:
  std::map<std::string, OpSchema, std::less<>> schemas_;
};

/// The ops of this build.
const OpRegistry& ops();

}  // namespace legato::ir
