#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_rank_at_least(view, 0, 2);
  if (view.has(1)) {
    require_dtype(view, 1, DType::kI64);
    require_shape(view, 1, {});
  }
  return {view.type(0)};
}

}  // namespace

void register_trilu(OpRegistry& registry) {
  registry.add(
      {.name = "Trilu",
       .doc = "x [.., N, M], k []? -> x where it lies on or above (upper) or below the k-th "
              "diagonal, else 0 (ONNX Trilu). k is an attribute where it is constant",
       .min_inputs = 1,
       .max_inputs = 2,
       .input_names = {"x", "k"},
       .attributes = {int_attribute("upper", 1, "1: the upper triangle stays; 0: the lower"),
                      int_attribute("k", 0, "the diagonal, unless input 1 is given")},
       .infer = infer,
       .behaviour = [](const NodeView& view, int axis) {
         return axis >= view.type(0).shape.rank() - 2 ? SequenceBehaviour::kPositional
                                                      : SequenceBehaviour::kTokenLocal;
       }});
}

}  // namespace legato::ir
