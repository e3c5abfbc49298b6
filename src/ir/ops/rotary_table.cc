#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_index(view, 0);
  require_rank(view, 0, 1);
  const auto count = static_cast<int64_t>(view.node.attributes.get_floats("inv_freq").size());
  if (count == 0 || count > 65536)
    view.refuse(fmt::format("attribute \"inv_freq\" has {} elements, expected 1 to 65536", count));
  return {{DType::kF32, {view.type(0).shape[0], Dim(2 * count)}}};
}

}  // namespace

void register_rotary_table(OpRegistry& registry) {
  registry.add(
      {.name = "RotaryTable",
       .doc =
           "positions [T] -> f32 [T, R] with R = 2 * len(inv_freq): columns [0, R/2) are scale * "
           "cos(angle), [R/2, R) scale * sin(angle), angle = position * inv_freq in f32",
       .min_inputs = 1,
       .max_inputs = 1,
       .input_names = {"positions"},
       .attributes = {required("inv_freq", AttributeType::kFloats,
                               "angle a position, R/2 of them, rounded to f32"),
                      float_attribute("scale", 1.0, "factor of cosine and sine")},
       .infer = infer,
       .behaviour = [](const NodeView&, int) { return SequenceBehaviour::kPositional; }});
}

}  // namespace legato::ir
