#include "kernels/ref/softmax_lines.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  return softmax_lines(problem, [](double shifted, double sum) { return shifted - std::log(sum); });
}

}  // namespace

void register_log_softmax(TacticRegistry& registry) { add_reference(registry, "LogSoftmax", bind); }

}  // namespace legato::kernels::ref
