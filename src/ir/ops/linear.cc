#include "ir/rules/fused.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_dtype(view, 0, DType::kF32);
  const Dim& width = last_dim(view, 0);
  require_weight(view, 1);
  const Dim features = view.type(1).shape[0];
  require_shape(view, 1, {features, width});
  require_optional_float(view, 2, {features});
  const SymShape result = with_last(view.type(0).shape, features);
  if (view.has(3)) {
    require_dtype(view, 3, DType::kF32);
    require_shape(view, 3, result);
  }
  check_projection(view, 4, 5, width);
  return {{DType::kF32, result}};
}

}  // namespace

void register_linear(OpRegistry& registry) {
  registry.add({.name = "Linear",
                .doc = "x [.., K], weight [N, K], bias [N]?, residual [.., N]?, norm_weight [K]?, "
                       "norm_bias [K]? -> [.., N]: activation(norm(x) weight^T + bias) + residual",
                .min_inputs = 2,
                .max_inputs = 6,
                .input_names = {"x", "weight", "bias", "residual", "norm_weight", "norm_bias"},
                .attributes = projection_attributes(),
                .quantised_inputs = {1},
                .infer = infer,
                .behaviour = reduces_last_axis});
}

}  // namespace legato::ir
