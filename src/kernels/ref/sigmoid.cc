#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
}

}  // namespace

void register_sigmoid(TacticRegistry& registry) { add_reference(registry, "Sigmoid", bind); }

}  // namespace legato::kernels::ref
