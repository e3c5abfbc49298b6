#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked.h"
#include "ir/rules/attributes.h"
#include "ir/rules/fused.h"
#include "ir/rules/operands.h"
#include "tensor/weight_layout.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  constexpr int64_t kMaxFeatures = int64_t{1} << 32;
  require_dtype(view, 0, DType::kF32);
  const Dim& width = last_dim(view, 0);
  const int64_t features = at_least(view, "features", 1);
  if (features > kMaxFeatures)
    view.refuse(fmt::format("attribute \"features\" is {}, expected at most 2^32", features));
  const bool packed = at_least(view, "packed", 0) != 0;
  require_weight(view, 1);
  if (packed) {
    require_shape(view, 1, {2 * round_up(features, kPanelRows), width});
    if (view.has(2)) view.refuse("is packed, but input 2 (up_weight) is given");
  } else {
    require_shape(view, 1, {features, width});
    if (!view.has(2)) view.refuse("input 2 (up_weight) is absent, expected unless packed");
    require_weight(view, 2);
    require_shape(view, 2, {features, width});
  }
  require_optional_float(view, 3, {features});
  require_optional_float(view, 4, {features});
  check_projection(view, 5, 6, width);
  one_of(view, "activation", gating_activations());
  return {{DType::kF32, with_last(view.type(0).shape, features)}};
}

}  // namespace

void register_gated_mlp(OpRegistry& registry) {
  std::vector<AttributeSpec> attributes = projection_attributes();
  attributes[0] = string_attribute("activation", "silu",
                                   fmt::format("{}", fmt::join(gating_activations(), ", ")));
  attributes.push_back(required("features", AttributeType::kInt, "F"));
  attributes.push_back(int_attribute(
      "packed", 0,
      "1: gate_weight is [2*round_up(F, 32), K], blocks of 32 gate rows and 32 up rows alternate, "
      "rows beyond F are zero, up_weight is absent; biases stay apart"));
  registry.add(
      {.name = "GatedMlp",
       .doc = "x [.., K], gate_weight [F, K], up_weight [F, K], gate_bias [F]?, up_bias [F]?, "
              "norm_weight [K]?, norm_bias [K]? -> [.., F]: activation(norm(x) gate_weight^T + "
              "gate_bias) * (norm(x) up_weight^T + up_bias) (Shazeer 2020)",
       .min_inputs = 2,
       .max_inputs = 7,
       .input_names = {"x", "gate_weight", "up_weight", "gate_bias", "up_bias", "norm_weight",
                       "norm_bias"},
       .attributes = std::move(attributes),
       .quantised_inputs = {1, 2},
       .infer = infer,
       .behaviour = reduces_last_axis});
}

}  // namespace legato::ir
