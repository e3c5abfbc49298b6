#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  for (const size_t bound : {1, 2}) {
    if (!view.has(bound)) continue;
    require_dtype(view, bound, view.type(0).dtype);
    require_shape(view, bound, {});
  }
  return {view.type(0)};
}

}  // namespace

void register_clip(OpRegistry& registry) {
  registry.add({.name = "Clip",
                .doc = "x [..], min []?, max []? -> [..]: min(max(x, min), max)",
                .min_inputs = 1,
                .max_inputs = 3,
                .input_names = {"x", "min", "max"},
                .infer = infer,
                .behaviour = token_local});
}

}  // namespace legato::ir
