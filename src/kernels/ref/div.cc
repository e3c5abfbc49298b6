#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return binary(
      problem, [](double a, double b) { return a / b; },
      [](int64_t a, int64_t b) -> int64_t {
        return b == 0 ? 0 : (b == -1 ? wrapped(-static_cast<uint64_t>(a)) : a / b);
      });
}

}  // namespace

void register_div(TacticRegistry& registry) { add_reference(registry, "Div", bind); }

}  // namespace legato::kernels::ref
