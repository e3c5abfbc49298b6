#include "kernels/ref/weight_row.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

/// Row `index` of a table, as f32; an index outside it reads as zeros, so that no id can lead out
/// of the weights.
void add_row(const Operand& table, int64_t index, double scale, double* room, float* out) {
  if (index < 0 || index >= table.rows()) return;
  read_weight_row(table, index, room);
  for (int64_t i = 0; i < table.columns(); ++i)
    out[i] = static_cast<float>(out[i] + room[i] * scale);
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {}));
  LEGATO_ASSIGN_OR_RETURN(const int64_t width, static_extent(problem, problem.outputs[0], -1));
  LEGATO_RETURN_IF_ERROR(require_weight(problem, 1, width));
  LEGATO_RETURN_IF_ERROR(require_weight(problem, 3, width));
  const double scale = problem.attributes.get_float("scale", 1.0);
  const int64_t offset = problem.attributes.get_int("position_offset", 0);
  BoundReference bound;
  bound.workspace_bytes = [width](const Limits&) {
    return static_cast<size_t>(width) * sizeof(double);
  };
  bound.launch = [scale, offset](const LaunchArgs& args) {
    const Operand& ids = args.inputs[0];
    const Operand positions = operand_at(args.inputs, 2);
    const Operand position_table = operand_at(args.inputs, 3);
    const Operand& out = args.outputs[0];
    auto* room = reinterpret_cast<double*>(args.workspace);
    for (int64_t t = 0; t < ids.shape[0]; ++t) {
      float* row = row_of(out, t);
      for (int64_t i = 0; i < out.columns(); ++i) row[i] = 0.0f;
      add_row(args.inputs[1], index_at(ids, t), scale, room, row);
      if (positions.present())
        add_row(position_table, index_at(positions, t) + offset, 1.0, room, row);
    }
  };
  return bound;
}

}  // namespace

void register_embedding(TacticRegistry& registry) {
  add_reference(registry, "Embedding", bind, {1, 3});
}

}  // namespace legato::kernels::ref
