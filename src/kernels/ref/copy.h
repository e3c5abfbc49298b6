#pragma once

#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {

/// For ops that give the same elements another shape.
inline Result<BoundReference> bind_copy(const Problem& /*problem*/) {
  BoundReference bound;
  bound.operations_per_output = 0;
  bound.launch = [](const LaunchArgs& args) { copy_all(args.inputs[0], args.outputs[0]); };
  return bound;
}

}  // namespace legato::kernels::ref
