#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(const int64_t axis, axis_of(problem, 0));
  BoundReference bound;
  bound.operations_per_output = 0;
  bound.launch = [axis](const LaunchArgs& args) {
    const Lines whole(args.outputs[0].shape, axis);
    int64_t begin = 0;
    for (const Operand& part : args.inputs) {
      const Lines lines(part.shape, axis);
      lines.for_each([&](int64_t first) {
        const int64_t outer = first / (lines.extent * lines.inner);
        const int64_t inner = first % lines.inner;
        for (int64_t i = 0; i < lines.extent; ++i)
          copy_element(part, first + i * lines.inner, args.outputs[0],
                       (outer * whole.extent + begin + i) * whole.inner + inner);
      });
      begin += lines.extent;
    }
  };
  return bound;
}

}  // namespace

void register_concat(TacticRegistry& registry) { add_reference(registry, "Concat", bind); }

}  // namespace legato::kernels::ref
