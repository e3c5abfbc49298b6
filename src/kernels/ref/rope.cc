#include <algorithm>

#include "kernels/ref/formulas.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {0, 1}));
  const int64_t head_dim = problem.attributes.get_int("head_dim");
  const int64_t rotary_dim = problem.attributes.get_int("rotary_dim");
  const bool interleaved = problem.attributes.get_int("interleaved", 0) != 0;
  if (rotary_dim < 2 || rotary_dim > head_dim || rotary_dim % 2 != 0)
    return refuse_problem(problem, "rotary_dim does not fit head_dim");
  BoundReference bound;
  bound.operations_per_output = 3;
  bound.launch = [=](const LaunchArgs& args) {
    const Operand& x = args.inputs[0];
    for (int64_t t = 0; t < x.rows(); ++t) {
      float* row = row_of(args.outputs[0], t);
      if (row != row_of(x, t)) std::copy_n(row_of(x, t), x.columns(), row);
      for (int64_t begin = 0; begin < x.columns(); begin += head_dim)
        rotate(row + begin, row_of(args.inputs[1], t), rotary_dim, interleaved);
    }
  };
  return bound;
}

}  // namespace

void register_rope(TacticRegistry& registry) { add_reference(registry, "Rope", bind); }

}  // namespace legato::kernels::ref
