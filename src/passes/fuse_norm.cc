#include <algorithm>

#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {
namespace {

/// Where a node takes its norm's weight and bias; 0 for an op that has no norm of its own.
size_t norm_operand(const ir::Node& node) {
  if (node.op == "Linear") return linear::kNormWeight;
  if (node.op == "GatedMlp") return gated_mlp::kNormWeight;
  return 0;
}

/// Whether the node reads `value` as its x alone and does not normalise it yet.
bool can_take_norm(const ir::Node& node, ir::ValueId value) {
  return norm_operand(node) != 0 && node.attributes.get_string("norm") == "none" &&
         node.inputs[0] == value && std::count(node.inputs.begin(), node.inputs.end(), value) == 1;
}

bool fuse(ir::Graph& graph, ir::NodeId norm_id, const char* kind) {
  const ir::Node norm = graph.node(norm_id);
  const ir::ValueId normed = norm.outputs[0];
  const std::vector<ir::NodeId> users = graph.users(normed);
  if (users.empty() || is_output(graph, normed) || norm.attributes.get_int("group_size", 0) != 0)
    return false;
  for (const ir::NodeId user : users)
    if (!can_take_norm(graph.node(user), normed)) return false;
  for (const ir::NodeId user : users) {
    const ir::Node node = graph.node(user);
    const size_t operand = norm_operand(node);
    std::vector<ir::ValueId> inputs = padded_inputs(node, operand + 2);
    inputs[0] = norm.inputs[0];
    inputs[operand] = norm.input(1);
    inputs[operand + 1] = norm.input(2);
    Attributes attributes = node.attributes;
    attributes.set("norm", std::string(kind));
    attributes.set("epsilon", norm.attributes.get_float("epsilon"));
    graph.update(user, std::move(inputs), std::move(attributes));
  }
  graph.erase(norm_id);
  return true;
}

}  // namespace

int64_t fuse_norm(ir::Graph& graph, const PassOptions& /*options*/) {
  int64_t rewrites = 0;
  for (const ir::NodeId id : nodes_of(graph, "RmsNorm")) rewrites += fuse(graph, id, "rms") ? 1 : 0;
  for (const ir::NodeId id : nodes_of(graph, "LayerNorm"))
    rewrites += fuse(graph, id, "layer") ? 1 : 0;
  return rewrites;
}

}  // namespace legato::passes
