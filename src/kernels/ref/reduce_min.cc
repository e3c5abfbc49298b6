#include <cmath>

#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return reduce(
      problem, INFINITY, [](double sum, double x) { return std::isnan(x) || x < sum ? x : sum; },
      [](double sum, double /*count*/) { return sum; });
}

}  // namespace

void register_reduce_min(TacticRegistry& registry) { add_reference(registry, "ReduceMin", bind); }

}  // namespace legato::kernels::ref
