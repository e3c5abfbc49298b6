#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(const int64_t given, axis_of(problem, 0));
  BoundReference bound;
  bound.operations_per_output = 0;
  bound.launch = [given](const LaunchArgs& args) {
    const Operand& data = args.inputs[0];
    const Operand& indices = args.inputs[1];
    const auto axis = static_cast<int>(given < 0 ? given + data.shape.rank() : given);
    const int64_t extent = data.shape[axis];
    const Index strides = strides_of(data.shape);
    for_each_index(indices.shape, [&](const Index& index, int64_t flat) {
      int64_t at = load_integer(indices, flat);
      if (at < 0) at += extent;
      Index from = index;
      from[static_cast<size_t>(axis)] = at;
      const int64_t element = dot(from, strides);
      const bool inside = at >= 0 && at < extent && element < data.shape.elements();
      if (inside) {
        copy_element(data, element, args.outputs[0], flat);
      } else {
        store(args.outputs[0], flat, 0.0);
      }
    });
  };
  return bound;
}

}  // namespace

void register_gather_elements(TacticRegistry& registry) {
  add_reference(registry, "GatherElements", bind);
}

}  // namespace legato::kernels::ref
