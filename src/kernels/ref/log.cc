#include <cmath>

#include "kernels/ref/elementwise.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return unary(problem, [](double x) { return std::log(x); });
}

}  // namespace

void register_log(TacticRegistry& registry) { add_reference(registry, "Log", bind); }

}  // namespace legato::kernels::ref
