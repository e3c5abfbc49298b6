#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return compare(
      problem, [](double a, double b) { return a < b; },
      [](int64_t a, int64_t b) { return a < b; });
}

}  // namespace

void register_less(TacticRegistry& registry) { add_reference(registry, "Less", bind); }

}  // namespace legato::kernels::ref
