#include "kernels/ref/softmax_lines.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return softmax_lines(problem, [](double shifted, double sum) { return std::exp(shifted) / sum; });
}

}  // namespace

void register_softmax(TacticRegistry& registry) { add_reference(registry, "Softmax", bind); }

}  // namespace legato::kernels::ref
