#include <algorithm>
#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return binary(
      problem, [](double a, double b) { return std::isnan(a) || a < b ? a : b; },
      [](int64_t a, int64_t b) -> int64_t { return std::min(a, b); });
}

}  // namespace

void register_min(TacticRegistry& registry) { add_reference(registry, "Min", bind); }

}  // namespace legato::kernels::ref
