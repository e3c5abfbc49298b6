#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  BoundReference bound;
  const bool reals = is_float(problem.inputs[0].dtype);
  bound.launch = [reals](const LaunchArgs& args) {
    const Operand& y = args.outputs[0];
    for (int64_t i = 0; i < y.shape.elements(); ++i) {
      if (reals) {
        store(y, i, load(args.inputs[0], 0) + static_cast<double>(i) * load(args.inputs[2], 0));
      } else {
        store_integer(y, i, load_integer(args.inputs[0], 0) + i * load_integer(args.inputs[2], 0));
      }
    }
  };
  return bound;
}

}  // namespace

void register_range(TacticRegistry& registry) { add_reference(registry, "Range", bind); }

}  // namespace legato::kernels::ref
