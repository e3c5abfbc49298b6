#include "ir/rules/attributes.h"
#include "ir/rules/fused.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_dtype(view, 0, DType::kF32);
  const Dim& width = last_dim(view, 0);
  check_epsilon(view, "epsilon");
  require_optional_float(view, 1, {width});
  require_optional_float(view, 2, {width});
  return {view.type(0)};
}

}  // namespace

void register_layer_norm(OpRegistry& registry) {
  registry.add(
      {.name = "LayerNorm",
       .doc = "x [.., W], weight [W]?, bias [W]? -> [.., W]: (x - mean) / sqrt(variance + epsilon) "
              "* weight + bias, the variance over W and not W - 1 (Ba, Kiros and Hinton 2016)",
       .min_inputs = 1,
       .max_inputs = 3,
       .input_names = {"x", "weight", "bias"},
       .attributes = {required("epsilon", AttributeType::kFloat, "added to the variance")},
       .infer = infer,
       .behaviour = reduces_last_axis});
}

}  // namespace legato::ir
