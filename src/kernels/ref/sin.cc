#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::sin(x); });
}

}  // namespace

void register_sin(TacticRegistry& registry) { add_reference(registry, "Sin", bind); }

}  // namespace legato::kernels::ref
