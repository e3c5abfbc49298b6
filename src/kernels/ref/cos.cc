#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::cos(x); });
}

}  // namespace

void register_cos(TacticRegistry& registry) { add_reference(registry, "Cos", bind); }

}  // namespace legato::kernels::ref
