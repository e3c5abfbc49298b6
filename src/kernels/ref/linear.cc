#include "kernels/ref/projection.h"

namespace legato::kernels::ref {
namespace {

void launch(const Projection& projection, const LaunchArgs& args) {
  const Operand& x = args.inputs[0];
  const Operand& weight = args.inputs[1];
  const Operand bias = operand_at(args.inputs, 2);
  const Operand residual = operand_at(args.inputs, 3);
  const Operand& out = args.outputs[0];
  const Normalisation norm = projection.normalisation(args, 4);
  auto* normed = reinterpret_cast<double*>(args.workspace);
  for (int64_t row = 0; row < x.rows(); ++row) {
    normalise(norm, row_of(x, row), projection.width, normed);
    for (int64_t n = 0; n < out.columns(); ++n) {
      double y = activate(projection.activation,
                          Projection::dot(weight, n, normed) + vector_at(bias, n, 0.0));
      if (residual.present()) y += row_of(residual, row)[n];
      row_of(out, row)[n] = static_cast<float>(y);
    }
  }
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(const Projection projection, Projection::of(problem));
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {3}));
  BoundReference bound;
  bound.operations_per_output = 2 * static_cast<double>(projection.width);
  bound.workspace_bytes = [projection](const Limits&) { return projection.workspace_bytes(); };
  bound.launch = [projection](const LaunchArgs& args) { launch(projection, args); };
  return bound;
}

}  // namespace

void register_linear(TacticRegistry& registry) { add_reference(registry, "Linear", bind); }

}  // namespace legato::kernels::ref
