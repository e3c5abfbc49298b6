#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& /*problem*/) {
  BoundReference bound;
  bound.operations_per_output = 0;
  bound.launch = [](const LaunchArgs& args) {
    const Index strides = broadcast_strides(args.inputs[0].shape, args.outputs[0].shape);
    for_each_index(args.outputs[0].shape, [&](const Index& index, int64_t flat) {
      copy_element(args.inputs[0], dot(index, strides), args.outputs[0], flat);
    });
  };
  return bound;
}

}  // namespace

void register_expand(TacticRegistry& registry) { add_reference(registry, "Expand", bind); }

}  // namespace legato::kernels::ref
