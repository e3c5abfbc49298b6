#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/fused.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_dtype(view, 0, DType::kF32);
  const Dim& width = last_dim(view, 0);
  const int64_t group = at_least(view, "group_size", 0);
  check_epsilon(view, "epsilon");
  if (group > 0 && !width.divided_by(Dim(group)))
    view.refuse(fmt::format("{} is {}, expected a last axis that group_size {} divides",
                            input_name(view, 0), type_text(view.type(0)), group));
  require_optional_float(view, 1, {group > 0 ? Dim(group) : width});
  return {view.type(0)};
}

}  // namespace

void register_rms_norm(OpRegistry& registry) {
  registry.add(
      {.name = "RmsNorm",
       .doc = "x [.., W], weight [G]? -> [.., W]: x / sqrt(mean(x^2) + epsilon) * weight over each "
              "run of G columns; G is group_size, or W where that is 0 (Zhang and Sennrich 2019)",
       .min_inputs = 1,
       .max_inputs = 2,
       .input_names = {"x", "weight"},
       .attributes = {required("epsilon", AttributeType::kFloat, "added to the mean square"),
                      int_attribute("group_size", 0, "columns normalised together; 0: all")},
       .infer = infer,
       .behaviour = reduces_last_axis});
}

}  // namespace legato::ir
