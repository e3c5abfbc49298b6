#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::isnan(x) ? 1.0 : 0.0; });
}

}  // namespace

void register_is_nan(TacticRegistry& registry) { add_reference(registry, "IsNaN", bind); }

}  // namespace legato::kernels::ref
