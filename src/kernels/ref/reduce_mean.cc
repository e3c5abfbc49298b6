#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return reduce(
      problem, 0.0, [](double sum, double x) { return sum + x; },
      [](double sum, double count) { return sum / count; });
}

}  // namespace

void register_reduce_mean(TacticRegistry& registry) { add_reference(registry, "ReduceMean", bind); }

}  // namespace legato::kernels::ref
