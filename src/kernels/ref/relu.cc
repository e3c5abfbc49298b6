#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(
      problem, [](double x) { return x < 0 ? 0.0 : x; },
      [](int64_t x) -> int64_t { return x < 0 ? 0 : x; });
}

}  // namespace

void register_relu(TacticRegistry& registry) { add_reference(registry, "Relu", bind); }

}  // namespace legato::kernels::ref
