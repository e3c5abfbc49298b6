#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return 1.0 / x; });
}

}  // namespace

void register_reciprocal(TacticRegistry& registry) { add_reference(registry, "Reciprocal", bind); }

}  // namespace legato::kernels::ref
