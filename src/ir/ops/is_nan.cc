#include "ir/rules/operands.h"

namespace legato::ir {

void register_is_nan(OpRegistry& registry) {
  registry.add({.name = "IsNaN",
                .doc = "x [..] -> [..] bool: true where x is not a number",
                .min_inputs = 1,
                .max_inputs = 1,
                .input_names = {"x"},
                .infer = [](const NodeView& view) -> std::vector<ValueType> {
                  require_float(view, 0);
                  return {{DType::kBool, view.type(0).shape}};
                },
                .behaviour = token_local});
}

}  // namespace legato::ir
