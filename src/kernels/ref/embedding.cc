#include "kernels/ref/element.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

/// Row `index` of a table, as f32; an index outside it reads as zeros, so that no id can lead out
/// of the weights.
void add_row(const Operand& table, int64_t index, double scale, float* out) {
  if (index < 0 || index >= table.rows()) return;
  with_reader(table.dtype, [&](auto reader) {
    for (int64_t i = 0; i < table.columns(); ++i)
      out[i] =
          static_cast<float>(out[i] + reader.at(table.data, index * table.row_stride + i) * scale);
  });
}

Result<BoundReference> bind(const Problem& problem) {
  LEGATO_RETURN_IF_ERROR(require_f32(problem, {}));
  const double scale = problem.attributes.get_float("scale", 1.0);
  const int64_t offset = problem.attributes.get_int("position_offset", 0);
  BoundReference bound;
  bound.launch = [scale, offset](const LaunchArgs& args) {
    const Operand& ids = args.inputs[0];
    const Operand positions = operand_at(args.inputs, 2);
    const Operand position_table = operand_at(args.inputs, 3);
    const Operand& out = args.outputs[0];
    for (int64_t t = 0; t < ids.shape[0]; ++t) {
      float* row = row_of(out, t);
      for (int64_t i = 0; i < out.columns(); ++i) row[i] = 0.0f;
      add_row(args.inputs[1], index_at(ids, t), scale, row);
      if (positions.present()) add_row(position_table, index_at(positions, t) + offset, 1.0, row);
    }
  };
  return bound;
}

}  // namespace

void register_embedding(TacticRegistry& registry) { add_reference(registry, "Embedding", bind); }

}  // namespace legato::kernels::ref
