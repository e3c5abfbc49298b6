#include <fmt/format.h>

#include <map>

#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {
namespace {

/// Operands that hold matrices, by op. Norm weights and biases stay f32.
std::vector<size_t> matrix_operands(const ir::Node& node) {
  if (node.op == "Linear") return {linear::kWeight};
  if (node.op == "GatedMlp") return {gated_mlp::kGateWeight, gated_mlp::kUpWeight};
  if (node.op == "Embedding") return {1, 3};
  return {};
}

}  // namespace

int64_t cast_weights(ir::Graph& graph, const PassOptions& options) {
  if (options.precision != DType::kF32 && options.precision != DType::kF16 &&
      options.precision != DType::kBF16)
    throw Error(
        Code::kInvalidArgument, "cast-weights",
        fmt::format("precision is {}, expected f32, f16 or bf16", dtype_name(options.precision)));
  std::map<ir::ValueId, ir::ValueId> cast_values;  // a weight that two nodes share is cast once
  for (const ir::NodeId id : graph.order()) {
    const ir::Node node = graph.node(id);
    std::vector<ir::ValueId> inputs = node.inputs;
    for (const size_t index : matrix_operands(node)) {
      const ir::ValueId weight = node.input(index);
      if (weight == ir::kNone || !graph.value(weight).constant ||
          graph.value(weight).type.dtype == options.precision)
        continue;
      auto [it, is_new] = cast_values.try_emplace(weight, ir::kNone);
      if (is_new)
        it->second =
            graph.add_constant(graph.unique_name(fmt::format("{}.{}", graph.value(weight).name,
                                                             dtype_name(options.precision))),
                               ir::cast(graph.value(weight).constant, options.precision));
      inputs[index] = it->second;
    }
    if (inputs != node.inputs) graph.update(id, inputs, node.attributes);
  }
  return static_cast<int64_t>(cast_values.size());
}

}  // namespace legato::passes
