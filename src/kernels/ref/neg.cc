#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(
      problem, [](double x) { return -x; },
      [](int64_t x) -> int64_t { return wrapped(-static_cast<uint64_t>(x)); });
}

}  // namespace

void register_neg(TacticRegistry& registry) { add_reference(registry, "Neg", bind); }

}  // namespace legato::kernels::ref
