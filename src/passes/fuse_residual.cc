#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {
namespace {

/// Add(.., Linear) whose Linear nobody else reads becomes that Linear's residual operand. The sum
/// is the same: a Linear adds its residual last.
bool fuse(ir::Graph& graph, ir::NodeId add_id, size_t side) {
  const ir::Node add = graph.node(add_id);
  const ir::ValueId product = add.inputs[side];
  const ir::ValueId residual = add.inputs[1 - side];
  const ir::Node* node = producer_of(graph, product, "Linear");
  if (node == nullptr || node->input(linear::kResidual) != ir::kNone ||
      !read_once(graph, product) || graph.value(residual).type != graph.value(product).type)
    return false;
  std::vector<ir::ValueId> inputs = padded_inputs(*node, linear::kCount);
  inputs[linear::kResidual] = residual;
  const Attributes attributes = node->attributes;
  graph.replace_uses(add.outputs[0], product);
  graph.erase(add_id);
  graph.update(graph.value(product).producer, std::move(inputs), attributes);
  return true;
}

}  // namespace

int64_t fuse_residual(ir::Graph& graph, const PassOptions& /*options*/) {
  int64_t rewrites = 0;
  for (const ir::NodeId id : nodes_of(graph, "Add"))
    if (fuse(graph, id, 1) || fuse(graph, id, 0)) ++rewrites;
  return rewrites;
}

}  // namespace legato::passes
