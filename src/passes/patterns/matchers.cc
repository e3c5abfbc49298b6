#include "passes/patterns/matchers.h"

#include <algorithm>

namespace legato::passes {

const ir::Node* producer_of(const ir::Graph& graph, ir::ValueId value, std::string_view op) {
  const ir::Node* node = graph.producer(value);
  return node != nullptr && node->op == op ? node : nullptr;
}

std::vector<ir::NodeId> nodes_of(const ir::Graph& graph, std::string_view op) {
  std::vector<ir::NodeId> list;
  for (const ir::NodeId id : graph.order())
    if (graph.node(id).op == op) list.push_back(id);
  return list;
}

bool is_output(const ir::Graph& graph, ir::ValueId value) {
  return std::any_of(graph.outputs().begin(), graph.outputs().end(),
                     [&](const ir::GraphOutput& output) { return output.value == value; });
}

bool is_read(const ir::Graph& graph, const ir::Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](ir::ValueId output) {
    return is_output(graph, output) || !graph.users(output).empty();
  });
}

bool read_once(const ir::Graph& graph, ir::ValueId value) {
  const std::vector<ir::NodeId> users = graph.users(value);
  if (users.size() != 1 || is_output(graph, value)) return false;
  const auto& inputs = graph.node(users[0]).inputs;
  return std::count(inputs.begin(), inputs.end(), value) == 1;
}

void erase_dead(ir::Graph& graph, ir::NodeId id) {
  std::vector<ir::NodeId> candidates = {id};
  while (!candidates.empty()) {
    const ir::NodeId candidate = candidates.back();
    candidates.pop_back();
    if (candidate == ir::kNone || !graph.alive(candidate)) continue;
    const ir::Node& node = graph.node(candidate);
    if (is_read(graph, node)) continue;
    for (const ir::ValueId input : node.inputs)
      if (input != ir::kNone) candidates.push_back(graph.value(input).producer);
    graph.erase(candidate);
  }
}

std::vector<ir::ValueId> padded_inputs(const ir::Node& node, size_t count) {
  std::vector<ir::ValueId> inputs = node.inputs;
  inputs.resize(std::max(count, inputs.size()), ir::kNone);
  return inputs;
}

HeadChain head_chain(const ir::Graph& graph, ir::ValueId value, int64_t head_dim) {
  HeadChain chain;
  chain.source = value;
  const ir::Node* rope = producer_of(graph, chain.source, "Rope");
  if (rope != nullptr && rope->attributes.get_int("head_dim") == head_dim) {
    chain.rope = rope;
    chain.source = rope->inputs[0];
  }
  const ir::Node* norm = producer_of(graph, chain.source, "RmsNorm");
  if (norm != nullptr && norm->attributes.get_int("group_size") == head_dim &&
      norm->input(1) != ir::kNone) {
    chain.norm = norm;
    chain.source = norm->inputs[0];
  }
  return chain;
}

}  // namespace legato::passes
