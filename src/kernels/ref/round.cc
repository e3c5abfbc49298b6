#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::nearbyint(x); });
}

}  // namespace

void register_round(TacticRegistry& registry) { add_reference(registry, "Round", bind); }

}  // namespace legato::kernels::ref
