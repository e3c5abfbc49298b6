#include "kernels/ref/elementwise.h"
#include "kernels/ref/formulas.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return silu(x); });
}

}  // namespace

void register_silu(TacticRegistry& registry) { add_reference(registry, "Silu", bind); }

}  // namespace legato::kernels::ref
