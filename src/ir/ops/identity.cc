#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {

void register_identity(OpRegistry& registry) {
  registry.add(
      {.name = "Identity",
       .doc = "x [..] -> x",
       .min_inputs = 1,
       .max_inputs = 1,
       .input_names = {"x"},
       .infer = [](const NodeView& view) -> std::vector<ValueType> { return {view.type(0)}; },
       .behaviour = token_local,
       .known = same_elements});
}

}  // namespace legato::ir
