#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(
      problem, [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : x); },
      [](int64_t x) -> int64_t { return x > 0 ? 1 : (x < 0 ? -1 : 0); });
}

}  // namespace

void register_sign(TacticRegistry& registry) { add_reference(registry, "Sign", bind); }

}  // namespace legato::kernels::ref
