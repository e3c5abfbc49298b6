#include "kernels/ref/element.h"
#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

/// [outer, extent, inner] by [count] indices; an index outside the axis gives zeros.
void launch(int64_t given_axis, const LaunchArgs& args) {
  const Operand& data = args.inputs[0];
  const Operand& indices = args.inputs[1];
  const Operand& out = args.outputs[0];
  const auto axis = static_cast<int>(given_axis < 0 ? given_axis + data.shape.rank() : given_axis);
  const int64_t inner = strides_of(data.shape)[static_cast<size_t>(axis)];
  const int64_t extent = data.shape[axis];
  const int64_t count = indices.shape.elements();
  const int64_t outer = extent * inner == 0 ? 0 : data.shape.elements() / (extent * inner);
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o) {
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
  const int64_t axis = problem.attributes.get_int("axis", 0);
  const int rank = problem.inputs[0].shape.rank();
  if (axis < -rank || axis >= rank) return refuse_problem(problem, "axis is outside the data");
  BoundReference bound;
  bound.launch = [axis](const LaunchArgs& args) { launch(axis, args); };
  return bound;
}

}  // namespace

void register_gather(TacticRegistry& registry) { add_reference(registry, "Gather", bind); }

}  // namespace legato::kernels::ref
