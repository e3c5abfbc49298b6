#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::erf(x); });
}

}  // namespace

void register_erf(TacticRegistry& registry) { add_reference(registry, "Erf", bind); }

}  // namespace legato::kernels::ref
