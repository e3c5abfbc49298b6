#include "builder/sequence_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/op.h"

namespace legato::builder {
namespace {

/// [tokens] or [batch, sequence]: the last axis of the ids.
std::optional<Dim> sequence_extent(const ir::Graph& graph) {
  const auto& inputs = graph.inputs();
  auto it = std::find_if(inputs.begin(), inputs.end(),
                         [&graph](ir::ValueId id) { return graph.value(id).name == "input_ids"; });
  if (it == inputs.end()) it = inputs.begin();
  if (it == inputs.end()) return std::nullopt;
  const SymShape& shape = graph.value(*it).type.shape;
  const int axis = shape.rank() >= 2 ? 1 : 0;
  if (shape.rank() == 0 || shape[axis].is_constant()) return std::nullopt;
  return shape[axis];
}

class Walk {
 public:
  Walk(const ir::Graph& graph, Dim sequence) : graph_(graph), sequence_(std::move(sequence)) {}

  std::optional<Obstacle> run() const {
    for (const ir::NodeId id : graph_.order()) {
      const ir::Node& node = graph_.node(id);
      if (const auto reason = stops(node))
        return Obstacle{node.name, fmt::format("{} {}", node.op, *reason)};
    }
    return std::nullopt;
  }

 private:
  /// The axes of a value that run over the sequence.
  std::vector<int> axes_of(ir::ValueId value) const {
    std::vector<int> axes;
    if (value == ir::kNone) return axes;
    const SymShape& shape = graph_.value(value).type.shape;
    for (int axis = 0; axis < shape.rank(); ++axis)
      if (shape[axis] == sequence_) axes.push_back(axis);
    return axes;
  }

  std::optional<std::string> stops(const ir::Node& node) const {
    std::vector<int> axes;
    for (const ir::ValueId input : node.inputs) {
      axes = axes_of(input);
      if (!axes.empty()) break;
    }
    if (axes.empty() || selects_rows(node)) return std::nullopt;
    const ir::OpSchema* schema = ir::ops().find(node.op);
    if (schema == nullptr || !schema->behaviour) return "states nothing about the sequence";
    for (const int axis : axes) {
      const auto behaviour = schema->behaviour({graph_, node}, axis);
      if (const auto reason = stopping(behaviour)) return reason;
    }
    for (const ir::ValueId output : node.outputs)
      if (axes_of(output).size() > 1) return "relates each position to all others";
    return std::nullopt;
  }

  static std::optional<std::string> stopping(ir::SequenceBehaviour behaviour) {
    switch (behaviour) {
      case ir::SequenceBehaviour::kTokenLocal:
      case ir::SequenceBehaviour::kCausalAttention:
      case ir::SequenceBehaviour::kPositional:
        return std::nullopt;
      case ir::SequenceBehaviour::kReduction:
        return "combines all positions";
      case ir::SequenceBehaviour::kShift:
        return "moves positions";
      case ir::SequenceBehaviour::kOpaque:
        break;
    }
    return "may do anything with the sequence";
  }

  bool selects_rows(const ir::Node& node) const {
    if (node.op != "Gather" || !graph_.value(node.input(1)).is_input) return false;
    for (const ir::ValueId output : node.outputs)
      if (!axes_of(output).empty()) return false;
    return true;
  }

  const ir::Graph& graph_;
  Dim sequence_;
};

}  // namespace

std::optional<Obstacle> find_obstacle(const ir::Graph& graph) {
  auto sequence = sequence_extent(graph);
  if (!sequence) return std::nullopt;
  return Walk(graph, *std::move(sequence)).run();
}

}  // namespace legato::builder
