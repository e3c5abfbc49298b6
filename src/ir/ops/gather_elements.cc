#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

int axis_of(const NodeView& view) {
  return normalised_axis(view, view.node.attributes.get_int("axis"), view.type(0).shape.rank());
}

std::vector<ValueType> infer(const NodeView& view) {
  axis_of(view);
  require_index(view, 1);
  require_rank(view, 1, view.type(0).shape.rank());
  return {{view.type(0).dtype, view.type(1).shape}};
}

}  // namespace

void register_gather_elements(OpRegistry& registry) {
  registry.add(
      {.name = "GatherElements",
       .doc = "data [..], indices [..] of the same rank -> [shape of indices]: the element "
              "of the data at the same place but for `axis`, where the index stands; "
              "negative ones count from the end (ONNX GatherElements)",
       .min_inputs = 2,
       .max_inputs = 2,
       .input_names = {"data", "indices"},
       .attributes = {int_attribute("axis", 0, "the axis that is indexed")},
       .infer = infer,
       .behaviour = [](const NodeView& view, int axis) {
         return axis == axis_of(view) ? SequenceBehaviour::kShift : SequenceBehaviour::kTokenLocal;
       }});
}

}  // namespace legato::ir
