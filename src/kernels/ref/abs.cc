#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(
      problem, [](double x) { return std::abs(x); },
      [](int64_t x) -> int64_t { return x < 0 ? wrapped(-static_cast<uint64_t>(x)) : x; });
}

}  // namespace

void register_abs(TacticRegistry& registry) { add_reference(registry, "Abs", bind); }

}  // namespace legato::kernels::ref
