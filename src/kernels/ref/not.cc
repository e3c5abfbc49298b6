#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(
      problem, [](double x) { return x; }, [](int64_t x) -> int64_t { return x == 0 ? 1 : 0; });
}

}  // namespace

void register_not(TacticRegistry& registry) { add_reference(registry, "Not", bind); }

}  // namespace legato::kernels::ref
