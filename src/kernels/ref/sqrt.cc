#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::sqrt(x); });
}

}  // namespace

void register_sqrt(TacticRegistry& registry) { add_reference(registry, "Sqrt", bind); }

}  // namespace legato::kernels::ref
