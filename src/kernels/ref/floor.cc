#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::floor(x); });
}

}  // namespace

void register_floor(TacticRegistry& registry) { add_reference(registry, "Floor", bind); }

}  // namespace legato::kernels::ref
