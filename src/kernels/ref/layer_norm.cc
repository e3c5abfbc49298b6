#include "kernels/ref/formulas.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {0}));
  const double epsilon = problem.attributes.get_float("epsilon");
  BoundReference bound;
  bound.operations_per_output = 6;
  bound.launch = [epsilon](const LaunchArgs& args) {
    const Operand& x = args.inputs[0];
    const Normalisation norm{Norm::kLayer, epsilon, operand_at(args.inputs, 1),
                             operand_at(args.inputs, 2)};
    for (int64_t row = 0; row < x.rows(); ++row)
      normalise(norm, row_of(x, row), x.columns(), row_of(args.outputs[0], row));
  };
  return bound;
}

}  // namespace

void register_layer_norm(TacticRegistry& registry) { add_reference(registry, "LayerNorm", bind); }

}  // namespace legato::kernels::ref
