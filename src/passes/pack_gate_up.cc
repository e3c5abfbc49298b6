#include "base/checked.h"
#include "passes/pass.h"
#include "passes/patterns/matchers.h"
#include "tensor/weight_layout.h"

namespace legato::passes {
namespace {

/// Rows of [gate; up] in packed order: blocks of 32 rows of each alternate, so that one panel pair
/// yields 32 finished features. -1 is a row of zeros.
std::vector<int64_t> packed_order(int64_t features) {
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(2 * round_up(features, kPanelRows)));
  for (int64_t block = 0; block < features; block += kPanelRows)
    for (const int64_t half : {int64_t{0}, features})
      for (int64_t row = block; row < block + kPanelRows; ++row)
        order.push_back(row < features ? half + row : -1);
  return order;
}

}  // namespace

int64_t pack_gate_up(ir::Graph& graph, const PassOptions& /*options*/) {
  int64_t rewrites = 0;
  for (const ir::NodeId id : nodes_of(graph, "GatedMlp")) {
    const ir::Node node = graph.node(id);
    if (node.attributes.get_int("packed") != 0) continue;
    const ir::Value& gate = graph.value(node.inputs[gated_mlp::kGateWeight]);
    const ir::Value& up = graph.value(node.inputs[gated_mlp::kUpWeight]);
    if (!gate.constant || !up.constant || gate.type.dtype != up.type.dtype) continue;
    std::vector<ir::ValueId> inputs = node.inputs;
    inputs[gated_mlp::kGateWeight] =
        graph.add_constant(graph.unique_name(gate.name + ".packed"),
                           ir::gathered_rows(ir::concatenated({gate.constant, up.constant}),
                                             packed_order(node.attributes.get_int("features"))));
    inputs[gated_mlp::kUpWeight] = ir::kNone;
    Attributes attributes = node.attributes;
    attributes.set("packed", int64_t{1});
    graph.update(id, std::move(inputs), std::move(attributes));
    ++rewrites;
  }
  return rewrites;
}

}  // namespace legato::passes
