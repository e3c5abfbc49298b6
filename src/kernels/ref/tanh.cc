#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::tanh(x); });
}

}  // namespace

void register_tanh(TacticRegistry& registry) { add_reference(registry, "Tanh", bind); }

}  // namespace legato::kernels::ref
