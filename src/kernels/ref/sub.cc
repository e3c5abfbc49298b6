#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return binary(
      problem, [](double a, double b) { return a - b; },
      [](int64_t a, int64_t b) -> int64_t {
        return wrapped(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
      });
}

}  // namespace

void register_sub(TacticRegistry& registry) { add_reference(registry, "Sub", bind); }

}  // namespace legato::kernels::ref
