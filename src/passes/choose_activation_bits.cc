#include "ir/rules/fused.h"
#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {
namespace {

/// Attention's output is an average of values, without the outliers that a norm or a gated MLP
/// gives; rounding it to 8 bits moves logits ten times less than rounding the others does. A gated
/// MLP's own input is in between, and has half of all products.
bool feels_rounding(const ir::Graph& graph, const ir::Node& node) {
  const ir::Value& weight = graph.value(node.inputs[linear::kWeight]);
  return weight.constant != nullptr && is_quantised(weight.type.dtype) &&
         weight.type.dtype != DType::kW8 &&
         producer_of(graph, node.inputs[linear::kX], "Attention") == nullptr;
}

}  // namespace

/// Kernels round activations to 8 bits where weights are quantised. Query, key, value and down
/// projections and the head get 15 bits for twice the products; w8 means 8 bits on both sides.
int64_t choose_activation_bits(ir::Graph& graph, const PassOptions& /*options*/) {
  int64_t rewrites = 0;
  for (const ir::NodeId id : nodes_of(graph, "Linear")) {
    const ir::Node node = graph.node(id);
    if (!feels_rounding(graph, node)) continue;
    Attributes attributes = node.attributes;
    attributes.set("activation_bits", ir::kFineActivationBits);
    graph.update(id, node.inputs, std::move(attributes));
    ++rewrites;
  }
  return rewrites;
}

}  // namespace legato::passes
