#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  });
}

}  // namespace

void register_softplus(TacticRegistry& registry) { add_reference(registry, "Softplus", bind); }

}  // namespace legato::kernels::ref
