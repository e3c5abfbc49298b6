#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return reduce(
      problem, 0.0, [](double sum, double x) { return sum + x; },
      [](double sum, double /*count*/) { return sum; });
}

}  // namespace

void register_reduce_sum(TacticRegistry& registry) { add_reference(registry, "ReduceSum", bind); }

}  // namespace legato::kernels::ref
