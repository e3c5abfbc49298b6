#include <algorithm>

#include "kernels/ref/lists.h"

namespace legato::kernels::ref {
namespace {

struct Lists {
  List starts, axes, steps;
};

void launch(const Lists& lists, const LaunchArgs& args) {
  const Operand& data = args.inputs[0];
  const Operand& out = args.outputs[0];
  const Index strides = strides_of(data.shape);
  Index steps;
  steps.fill(1);
  int64_t base = 0;
  for (int64_t i = 0; i < lists.starts.size(args); ++i) {
    int64_t axis = lists.axes.at(args, i, i);
    if (axis < 0) axis += data.shape.rank();
    if (axis < 0 || axis >= data.shape.rank()) continue;  // the op's shape rule refuses it
    const int64_t extent = data.shape[static_cast<int>(axis)];
    const int64_t step = lists.steps.at(args, i, 1);
    int64_t start = lists.starts.at(args, i, 0);
    if (start < 0) start += extent;
    start = std::clamp(start, int64_t{0}, std::max(step > 0 ? extent : extent - 1, int64_t{0}));
    steps[static_cast<size_t>(axis)] = step;
    base += start * strides[static_cast<size_t>(axis)];
  }
  Index scaled = strides;
  for (size_t axis = 0; axis < scaled.size(); ++axis) scaled[axis] *= steps[axis];
  const int64_t count = data.shape.elements();
  for_each_index(out.shape, [&](const Index& index, int64_t flat) {
    const int64_t from = base + dot(index, scaled);
    if (from >= 0 && from < count) copy_element(data, from, out, flat);
  });
}

Result<BoundReference> bind(const Problem& problem) {
  const Lists lists{List(problem, "starts", 1), List(problem, "axes", 3),
                    List(problem, "steps", 4)};
  BoundReference bound;
  bound.operations_per_output = 0;
  bound.launch = [lists](const LaunchArgs& args) { launch(lists, args); };
  return bound;
}

}  // namespace

void register_slice(TacticRegistry& registry) { add_reference(registry, "Slice", bind); }

}  // namespace legato::kernels::ref
