#include <cmath>

#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& /*problem*/) {
  BoundReference bound;
  bound.launch = [](const LaunchArgs& args) {
    const Operand& y = args.outputs[0];
    const bool has_min = args.inputs.size() > 1 && args.inputs[1].present();
    const bool has_max = args.inputs.size() > 2 && args.inputs[2].present();
    const double least = has_min ? load(args.inputs[1], 0) : -INFINITY;
    const double most = has_max ? load(args.inputs[2], 0) : INFINITY;
    const int64_t count = y.shape.elements();
    for (int64_t i = 0; i < count; ++i) {
      const double x = load(args.inputs[0], i);
      const double raised = x < least ? least : x;
      store(y, i, raised > most ? most : raised);
    }
  };
  return bound;
}

}  // namespace

void register_clip(TacticRegistry& registry) { add_reference(registry, "Clip", bind); }

}  // namespace legato::kernels::ref
