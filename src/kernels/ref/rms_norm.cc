#include <fmt/format.h>

#include "kernels/ref/formulas.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {0}));
  const double epsilon = problem.attributes.get_float("epsilon");
  const int64_t group_size = problem.attributes.get_int("group_size", 0);
  LEGATO_ASSIGN_OR_RETURN(const int64_t width, static_extent(problem, problem.inputs[0], -1));
  if (group_size < 0 || (group_size > 0 && width % group_size != 0))
    return refuse_problem(problem, fmt::format("group_size {} of {}", group_size, width));
  BoundReference bound;
  bound.operations_per_output = 4;
  bound.launch = [epsilon, group_size](const LaunchArgs& args) {
    const Operand& x = args.inputs[0];
    const Normalisation norm{Norm::kRms, epsilon, operand_at(args.inputs, 1), Operand{}};
    const int64_t group = group_size > 0 ? group_size : x.columns();
    for (int64_t row = 0; row < x.rows(); ++row)
      for (int64_t begin = 0; begin < x.columns(); begin += group)
        normalise(norm, row_of(x, row) + begin, group, row_of(args.outputs[0], row) + begin);
  };
  return bound;
}

}  // namespace

void register_rms_norm(TacticRegistry& registry) { add_reference(registry, "RmsNorm", bind); }

}  // namespace legato::kernels::ref
