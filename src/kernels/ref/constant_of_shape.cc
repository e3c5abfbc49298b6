#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  const double value = problem.attributes.get_float("value", 0.0);
  BoundReference bound;
  bound.launch = [value](const LaunchArgs& args) {
    for (int64_t i = 0; i < args.outputs[0].shape.elements(); ++i) store(args.outputs[0], i, value);
  };
  return bound;
}

}  // namespace

void register_constant_of_shape(TacticRegistry& registry) {
  add_reference(registry, "ConstantOfShape", bind);
}

}  // namespace legato::kernels::ref
