#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& /*problem*/) {
  BoundReference bound;
  bound.operations_per_output = 0;
  bound.launch = [](const LaunchArgs& args) {
    const Operand& data = args.inputs[0];
    const Index strides = strides_of(data.shape);
    for_each_index(args.outputs[0].shape, [&](const Index& index, int64_t flat) {
      int64_t from = 0;
      for (int axis = 0; axis < data.shape.rank(); ++axis)
        from += index[static_cast<size_t>(axis)] % data.shape[axis] *
                strides[static_cast<size_t>(axis)];
      copy_element(data, from, args.outputs[0], flat);
    });
  };
  return bound;
}

}  // namespace

void register_tile(TacticRegistry& registry) { add_reference(registry, "Tile", bind); }

}  // namespace legato::kernels::ref
