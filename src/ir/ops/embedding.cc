#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_index(view, 0);
  require_rank(view, 0, 1);
  require_weight(view, 1);
  const Dim tokens = view.type(0).shape[0];
  const Dim width = view.type(1).shape[1];
  if (view.has(2) != view.has(3)) view.refuse("positions and position_table come together");
  if (view.has(2)) {
    require_index(view, 2);
    require_shape(view, 2, {tokens});
    require_weight(view, 3);
    require_shape(view, 3, {view.type(3).shape[0], width});
  }
  at_least(view, "position_offset", 0);
  return {{DType::kF32, {tokens, width}}};
}

}  // namespace

void register_embedding(OpRegistry& registry) {
  registry.add(
      {.name = "Embedding",
       .doc = "ids [T], table [V, W], positions [T]?, position_table [P, W]? -> f32 [T, W]: "
              "table[ids] * scale + position_table[positions + position_offset]",
       .min_inputs = 2,
       .max_inputs = 4,
       .input_names = {"ids", "table", "positions", "position_table"},
       .attributes = {int_attribute("position_offset", 0, "added to each position"),
                      float_attribute("scale", 1.0, "factor of the table's rows")},
       .quantised_inputs = {1, 3},
       .infer = infer,
       .behaviour = [](const NodeView& view, int) {
         return view.has(2) ? SequenceBehaviour::kPositional : SequenceBehaviour::kTokenLocal;
       }});
}

}  // namespace legato::ir
