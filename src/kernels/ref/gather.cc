#include "kernels/ref/element.h"
#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {
namespace {

/// An index outside the axis gives zeros.
void launch(int64_t axis, const LaunchArgs& args) {
  const Operand& data = args.inputs[0];
  const Operand& indices = args.inputs[1];
  const Operand& out = args.outputs[0];
  const Lines lines(data.shape, axis);
  const int64_t extent = lines.extent;
  const int64_t inner = lines.inner;
  const int64_t count = indices.shape.elements();
  int64_t to = 0;
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = index_at(indices, offset_of(indices, i));
      if (at < 0) at += extent;
      for (int64_t j = 0; j < inner; ++j, ++to) {
        if (at >= 0 && at < extent) {
          copy_element(data, (o * extent + at) * inner + j, out, to);
        } else {
          store(out, to, 0.0);
        }
      }
    }
  }
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(const int64_t axis, axis_of(problem, 0));
  BoundReference bound;
  bound.launch = [axis](const LaunchArgs& args) { launch(axis, args); };
  return bound;
}

}  // namespace

void register_gather(TacticRegistry& registry) { add_reference(registry, "Gather", bind); }

}  // namespace legato::kernels::ref
