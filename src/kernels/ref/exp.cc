#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::exp(x); });
}

}  // namespace

void register_exp(TacticRegistry& registry) { add_reference(registry, "Exp", bind); }

}  // namespace legato::kernels::ref
