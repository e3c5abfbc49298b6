#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(const int64_t axis, axis_of(problem, 0));
  const bool exclusive = problem.attributes.get_int("exclusive", 0) != 0;
  const bool reverse = problem.attributes.get_int("reverse", 0) != 0;
  BoundReference bound;
  bound.launch = [=](const LaunchArgs& args) {
    const Lines lines(args.inputs[0].shape, axis);
    lines.for_each([&](int64_t first) {
      double sum = 0;
      for (int64_t i = 0; i < lines.extent; ++i) {
        const int64_t at = first + (reverse ? lines.extent - 1 - i : i) * lines.inner;
        const double x = load(args.inputs[0], at);
        store(args.outputs[0], at, exclusive ? sum : sum + x);
        sum += x;
      }
    });
  };
  return bound;
}

}  // namespace

void register_cum_sum(TacticRegistry& registry) { add_reference(registry, "CumSum", bind); }

}  // namespace legato::kernels::ref
