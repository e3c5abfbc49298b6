#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& /*problem*/) {
  BoundReference bound;
  bound.operations_per_output = 0;
  bound.launch = [](const LaunchArgs& args) { copy_all(args.inputs[0], args.outputs[0]); };
  return bound;
}

}  // namespace

void register_unsqueeze(TacticRegistry& registry) { add_reference(registry, "Unsqueeze", bind); }

}  // namespace legato::kernels::ref
