#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

/// Squaring; a negative exponent leaves 0 of all but 1 and -1.
int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base != 1 && base != -1) return 0;
    exponent = exponent & 1;
  }
  auto result = uint64_t{1};
  auto factor = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= factor;
    factor *= factor;
  }
  return wrapped(result);
}

Result<BoundReference> bind(const Problem& problem) {
  return binary(
      problem, [](double a, double b) { return std::pow(a, b); },
      [](int64_t a, int64_t b) -> int64_t { return integer_power(a, b); });
}

}  // namespace

void register_pow(TacticRegistry& registry) { add_reference(registry, "Pow", bind); }

}  // namespace legato::kernels::ref
