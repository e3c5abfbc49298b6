#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return compare(
      problem, [](double, double) { return false; },
      [](int64_t a, int64_t b) { return (a | b) != 0; });
}

}  // namespace

void register_or(TacticRegistry& registry) { add_reference(registry, "Or", bind); }

}  // namespace legato::kernels::ref
