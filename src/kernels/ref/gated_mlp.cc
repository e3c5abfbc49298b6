#include "base/checked.h"
#include "kernels/ref/projection.h"

namespace legato::kernels::ref {
namespace {

/// Row of feature f's gate (half 0) or up (half 1) weights in the packed matrix: blocks of 32 rows
/// of each alternate.
int64_t packed_row(int64_t f, int64_t half) {
  return (2 * (f / kPanelRows) + half) * kPanelRows + f % kPanelRows;
}

void launch(const Projection& projection, bool packed, const LaunchArgs& args) {
  const Operand& gate_weight = args.inputs[1];
  const Operand& up_weight = packed ? gate_weight : args.inputs[2];
  const Operand gate_bias = operand_at(args.inputs, 3);
  const Operand up_bias = operand_at(args.inputs, 4);
  const Operand& out = args.outputs[0];
  const auto block = [&](int64_t first, int64_t count, const double* normed, double* weight_row) {
    for (int64_t f = 0; f < out.columns(); ++f) {
      double gates[Projection::kRowsTogether];
      read_weight_row(gate_weight, packed ? packed_row(f, 0) : f, weight_row);
      for (int64_t i = 0; i < count; ++i)
        gates[i] = projection.dot(weight_row, normed + i * projection.width) +
                   vector_at(gate_bias, f, 0.0);
      read_weight_row(up_weight, packed ? packed_row(f, 1) : f, weight_row);
      for (int64_t i = 0; i < count; ++i) {
        const double up =
            projection.dot(weight_row, normed + i * projection.width) + vector_at(up_bias, f, 0.0);
        row_of(out, first + i)[f] =
            static_cast<float>(activate(projection.activation, gates[i]) * up);
      }
    }
  };
  projection.for_each_block(args, 5, block);
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(const Projection projection, Projection::of(problem));
  const bool packed = problem.attributes.get_int("packed", 0) != 0;
  if (!packed && !problem.has_input(2)) return refuse_problem(problem, "up_weight is absent");
  LEGATO_RETURN_IF_ERROR(require_float(problem, {3, 4, 5, 6}));
  const int64_t rows = packed ? 2 * round_up(projection.features, kPanelRows) : projection.features;
  LEGATO_RETURN_IF_ERROR(require_weight(problem, 1, projection.width, rows));
  if (!packed) LEGATO_RETURN_IF_ERROR(require_weight(problem, 2, projection.width, rows));
  BoundReference bound;
  bound.operations_per_output = 4 * static_cast<double>(projection.width);
  bound.workspace_bytes = [projection](const Limits&) { return projection.workspace_bytes(); };
  bound.launch = [projection, packed](const LaunchArgs& args) { launch(projection, packed, args); };
  return bound;
}

}  // namespace

void register_gated_mlp(TacticRegistry& registry) {
  add_reference(registry, "GatedMlp", bind, {1, 2});
}

}  // namespace legato::kernels::ref
