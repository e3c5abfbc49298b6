#include "ir/rules/operands.h"

namespace legato::ir {

void register_not(OpRegistry& registry) {
  registry.add({.name = "Not",
                .doc = "x [..] bool -> [..] bool: true where x is false",
                .min_inputs = 1,
                .max_inputs = 1,
                .input_names = {"x"},
                .infer = [](const NodeView& view) -> std::vector<ValueType> {
                  require_dtype(view, 0, DType::kBool);
                  return {view.type(0)};
                },
                .behaviour = token_local});
}

}  // namespace legato::ir
