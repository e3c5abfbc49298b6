#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::ceil(x); });
}

}  // namespace

void register_ceil(TacticRegistry& registry) { add_reference(registry, "Ceil", bind); }

}  // namespace legato::kernels::ref
