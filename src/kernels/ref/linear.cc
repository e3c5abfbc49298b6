#include "kernels/ref/projection.h"

namespace legato::kernels::ref {
namespace {

void launch(const Projection& projection, const LaunchArgs& args) {
  const Operand& weight = args.inputs[1];
  const Operand bias = operand_at(args.inputs, 2);
  const Operand residual = operand_at(args.inputs, 3);
  const Operand& out = args.outputs[0];
  const auto block = [&](int64_t first, int64_t count, const double* normed, double* weight_row) {
    for (int64_t n = 0; n < out.columns(); ++n) {
      read_weight_row(weight, n, weight_row);
      for (int64_t i = 0; i < count; ++i) {
        const double sum = projection.dot(weight_row, normed + i * projection.width);
        double y = activate(projection.activation, sum + vector_at(bias, n, 0.0));
        if (residual.present()) y += row_of(residual, first + i)[n];
        row_of(out, first + i)[n] = static_cast<float>(y);
      }
    }
  };
  projection.for_each_block(args, 4, block);
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(const Projection projection, Projection::of(problem));
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {3}));
  LEGATO_RETURN_IF_ERROR(require_float(problem, {2, 4, 5}));
  LEGATO_RETURN_IF_ERROR(require_weight(problem, 1, projection.width, projection.features));
  BoundReference bound;
  bound.operations_per_output = 2 * static_cast<double>(projection.width);
  bound.workspace_bytes = [projection](const Limits&) { return projection.workspace_bytes(); };
  bound.launch = [projection](const LaunchArgs& args) { launch(projection, args); };
  return bound;
}

}  // namespace

void register_linear(TacticRegistry& registry) { add_reference(registry, "Linear", bind, {1}); }

}  // namespace legato::kernels::ref
