#include <algorithm>

#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  const int64_t rank = problem.inputs[0].shape.rank();
  const int64_t given = problem.attributes.get_int("start", 0);
  const int64_t start = std::clamp(given < 0 ? given + rank : given, int64_t{0}, rank);
  BoundReference bound;
  bound.launch = [start](const LaunchArgs& args) {
    for (int64_t i = 0; i < args.outputs[0].shape.elements(); ++i)
      store_integer(args.outputs[0], i, args.inputs[0].shape[static_cast<int>(start + i)]);
  };
  return bound;
}

}  // namespace

void register_shape(TacticRegistry& registry) { add_reference(registry, "Shape", bind); }

}  // namespace legato::kernels::ref
