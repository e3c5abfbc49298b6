#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& /*problem*/) {
  BoundReference bound;
  bound.launch = [](const LaunchArgs& args) {
    const Operand& y = args.outputs[0];
    const Index condition = broadcast_strides(args.inputs[0].shape, y.shape);
    const Index yes = broadcast_strides(args.inputs[1].shape, y.shape);
    const Index no = broadcast_strides(args.inputs[2].shape, y.shape);
    for_each_index(y.shape, [&](const Index& index, int64_t flat) {
      if (load_integer(args.inputs[0], dot(index, condition)) != 0) {
        copy_element(args.inputs[1], dot(index, yes), y, flat);
      } else {
        copy_element(args.inputs[2], dot(index, no), y, flat);
      }
    });
  };
  return bound;
}

}  // namespace

void register_where(TacticRegistry& registry) { add_reference(registry, "Where", bind); }

}  // namespace legato::kernels::ref
