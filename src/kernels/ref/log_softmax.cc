#include <cmath>

#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {
namespace {

void softmax_line(const Operand& x, const Lines& lines, int64_t first, const Operand& y) {
  double largest = -INFINITY;
  for (int64_t i = 0; i < lines.extent; ++i)
    largest = std::max(largest, load(x, first + i * lines.inner));
  double sum = 0;
  for (int64_t i = 0; i < lines.extent; ++i)
    sum += std::exp(load(x, first + i * lines.inner) - largest);
  for (int64_t i = 0; i < lines.extent; ++i) {
    const int64_t at = first + i * lines.inner;
    store(y, at, load(x, at) - largest - std::log(sum));
  }
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(const int64_t axis, axis_of(problem, -1));
  BoundReference bound;
  bound.operations_per_output = 4;
  bound.launch = [axis](const LaunchArgs& args) {
    const Lines lines(args.inputs[0].shape, axis);
    lines.for_each(
        [&](int64_t first) { softmax_line(args.inputs[0], lines, first, args.outputs[0]); });
  };
  return bound;
}

}  // namespace

void register_log_softmax(TacticRegistry& registry) { add_reference(registry, "LogSoftmax", bind); }

}  // namespace legato::kernels::ref
