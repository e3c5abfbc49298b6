#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/constant.h"
#include "tensor/attributes.h"
#include "tensor/dim.h"
#include "tensor/dtype.h"

namespace legato::ir {

using ValueId = int32_t;
using NodeId = int32_t;
/// Stands for an optional input that is absent.
inline constexpr int32_t kNone = -1;

struct ValueType {
  DType dtype = DType::kF32;
  SymShape shape;
  bool operator==(const ValueType& other) const = default;
};

/// One SSA value: an input of the graph, a constant, or an output of a node.
struct Value {
  std::string name;  ///< unique within the graph
  ValueType type;
  NodeId producer = kNone;
  int32_t output_index = 0;
  ConstantPtr constant;
  bool is_input = false;
  /// Elements of a small integer tensor, row-major, as far as constants and shapes tell them.
  std::optional<std::vector<Dim>> known;
};

/// One application of an op. Meaning, attributes and types are its schema's (ir/op.h).
struct Node {
  std::string op;
  std::string name;  ///< as the model file calls it where it does; unique
  Attributes attributes;
  std::vector<ValueId> inputs;  ///< kNone for an absent optional input; trailing ones are dropped
  std::vector<ValueId> outputs;

  ValueId input(size_t index) const { return index < inputs.size() ? inputs[index] : kNone; }
};

struct GraphOutput {
  std::string name;
  ValueId value = kNone;
};

/// A typed SSA graph. Values and nodes are named by ids that stay valid; erased nodes leave a hole.
/// Types are inferred by the op's schema when a node is added, and absent attributes get their
/// defaults. Throws Error. One thread; distinct copies on distinct threads.
class Graph {
 public:
  ValueId add_input(std::string name, ValueType type);
  ValueId add_constant(std::string name, ConstantPtr constant);
  /// Adds a node with one output and returns that output, which gets the node's name where that is
  /// free. An empty name is replaced by one made from the op; a name that a node has is refused.
  ValueId add(std::string op, std::string name, std::vector<ValueId> inputs,
              Attributes attributes = {});
  /// Adds a node with any number of outputs. They get `output_names`, or where that is empty the
  /// node's name, with .0, .1 ... where there are several.
  NodeId add_node(std::string op, std::string name, std::vector<ValueId> inputs,
                  Attributes attributes, size_t num_outputs,
                  std::vector<std::string> output_names = {});
  void add_output(std::string name, ValueId value);
  void set_output(size_t index, ValueId value);

  const Value& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  bool alive(NodeId id) const { return alive_[static_cast<size_t>(id)]; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<GraphOutput>& outputs() const { return outputs_; }
  size_t num_values() const { return values_.size(); }
  size_t num_nodes() const { return nodes_.size(); }

  /// Live nodes, each after the producers of its inputs; among those free to choose, in order of
  /// insertion. Throws when there is a cycle.
  std::vector<NodeId> order() const;
  /// Live nodes that read the value (each once).
  std::vector<NodeId> users(ValueId id) const;
  /// The node that makes a value, or null for inputs and constants.
  const Node* producer(ValueId id) const;

  /// Makes every user and graph output of `from` read `to` instead. Types must be equal.
  void replace_uses(ValueId from, ValueId to);
  /// Changes a node in place and infers its output types anew, and those of what depends on it.
  void update(NodeId id, std::vector<ValueId> inputs, Attributes attributes);
  /// Removes a node whose outputs nobody reads.
  void erase(NodeId id);

  /// Free-form facts about the model that passes and builder read (for example "kv.dtype").
  std::map<std::string, std::string>& metadata() { return metadata_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// A name that no value or node has yet, made from `base`.
  std::string unique_name(std::string_view base) const;

 private:
  struct Inferred {
    std::vector<ValueType> types;
    std::optional<std::vector<Dim>> known;
  };
  /// Checks a node against its schema, fills in defaults and tells its output types.
  Inferred infer(Node& node, size_t num_outputs) const;
  /// Stores what was inferred; true when a type changed.
  bool store(const Node& node, Inferred inferred);
  ValueId add_value(Value value);
  void check_input_ids(const Node& node) const;
  void link(NodeId id, const Node& node);
  void unlink(NodeId id, const Node& node);
  void infer_dependents(NodeId changed);

  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<bool> alive_;
  std::vector<std::vector<NodeId>> users_;  // of each value, each once
  std::vector<ValueId> inputs_;
  std::vector<GraphOutput> outputs_;
  std::map<std::string, std::string> metadata_;
  std::set<std::string, std::less<>> value_names_;
  std::set<std::string, std::less<>> node_names_;
};

/// Checks what every pass must keep: single producers, defined inputs, no cycle, types equal to
/// what the schemas infer, names unique, outputs present. Throws Error naming the node.
void verify(const Graph& graph);

/// Text form and back: print(parse(text)) == text for what print() wrote. One line a node, for
/// example `%y: f32[tokens, 256] = Linear(%x, %w) {activation="silu"} "model.layers.0.mlp"`;
/// attributes that have their default are left out, so is the node's name where it is that of its
/// output. Constants above a few elements are printed by name, dtype and shape; the parser asks
/// `constants` for them (or makes seeded random ones when it is null). Errors name line and column.
std::string print(const Graph& graph);
using ConstantLookup =
    std::function<ConstantPtr(const std::string& name, DType dtype, const Shape& shape)>;
Graph parse(std::string_view text, const ConstantLookup& constants = nullptr);

}  // namespace legato::ir
