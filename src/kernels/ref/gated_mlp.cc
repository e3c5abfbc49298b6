#include "kernels/ref/projection.h"

namespace legato::kernels::ref {
namespace {

/// Row of feature f's gate (half 0) or up (half 1) weights in the packed matrix: blocks of 32 rows
/// of each alternate.
int64_t packed_row(int64_t f, int64_t half) {
  return (2 * (f / kPanelRows) + half) * kPanelRows + f % kPanelRows;
}

void launch(const Projection& projection, bool packed, const LaunchArgs& args) {
  const Operand& x = args.inputs[0];
  const Operand& gate_weight = args.inputs[1];
  const Operand& up_weight = packed ? gate_weight : args.inputs[2];
  const Operand gate_bias = operand_at(args.inputs, 3);
  const Operand up_bias = operand_at(args.inputs, 4);
  const Operand& out = args.outputs[0];
  const Normalisation norm = projection.normalisation(args, 5);
  auto* normed = reinterpret_cast<double*>(args.workspace);
  for (int64_t row = 0; row < x.rows(); ++row) {
    normalise(norm, row_of(x, row), projection.width, normed);
    for (int64_t f = 0; f < out.columns(); ++f) {
      const double gate = Projection::dot(gate_weight, packed ? packed_row(f, 0) : f, normed) +
                          vector_at(gate_bias, f, 0.0);
      const double up = Projection::dot(up_weight, packed ? packed_row(f, 1) : f, normed) +
                        vector_at(up_bias, f, 0.0);
      row_of(out, row)[f] = static_cast<float>(activate(projection.activation, gate) * up);
    }
  }
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_ASSIGN_OR_RETURN(Projection projection, Projection::of(problem));
  const bool packed = problem.attributes.get_int("packed", 0) != 0;
  if (!packed && !problem.has_input(2)) return refuse_problem(problem, "up_weight is absent");
  BoundReference bound;
  bound.operations_per_output = 4 * static_cast<double>(projection.width);
  bound.workspace_bytes = [projection](const Limits&) { return projection.workspace_bytes(); };
  bound.launch = [projection, packed](const LaunchArgs& args) { launch(projection, packed, args); };
  return bound;
}

}  // namespace

void register_gated_mlp(TacticRegistry& registry) { add_reference(registry, "GatedMlp", bind); }

}  // namespace legato::kernels::ref
