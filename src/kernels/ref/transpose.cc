#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  const std::vector<int64_t> perm = problem.attributes.get_ints("perm");
  const int rank = problem.inputs[0].shape.rank();
  if (static_cast<int>(perm.size()) != rank)
    return refuse_problem(problem, "perm is no order of the axes");
  for (const int64_t axis : perm)
    if (axis < 0 || axis >= rank) return refuse_problem(problem, "perm is no order of the axes");
  BoundReference bound;
  bound.operations_per_output = 0;
  bound.launch = [perm](const LaunchArgs& args) {
    const Index own = strides_of(args.inputs[0].shape);
    Index strides{};
    for (size_t axis = 0; axis < perm.size(); ++axis)
      strides[axis] = own[static_cast<size_t>(perm[axis])];
    for_each_index(args.outputs[0].shape, [&](const Index& index, int64_t flat) {
      copy_element(args.inputs[0], dot(index, strides), args.outputs[0], flat);
    });
  };
  return bound;
}

}  // namespace

void register_transpose(TacticRegistry& registry) { add_reference(registry, "Transpose", bind); }

}  // namespace legato::kernels::ref
