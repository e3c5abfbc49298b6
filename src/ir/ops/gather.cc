#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  require_rank_at_least(view, 0, 1);
  require_index(view, 1);
  const SymShape& data = view.type(0).shape;
  const int axis = normalised_axis(view, view.node.attributes.get_int("axis"), data.rank());
  SymShape result;
  result.dims.assign(data.dims.begin(), data.dims.begin() + axis);
  for (const Dim& dim : view.type(1).shape.dims) result.dims.push_back(dim);
  result.dims.insert(result.dims.end(), data.dims.begin() + axis + 1, data.dims.end());
  return {{view.type(0).dtype, result}};
}

/// Elements picked from a known vector by known indices.
std::optional<std::vector<Dim>> known(const NodeView& view) {
  const std::vector<Dim>* data = view.known(0);
  const std::vector<Dim>* indices = view.known(1);
  if (data == nullptr || indices == nullptr || view.type(0).shape.rank() != 1) return std::nullopt;
  std::vector<Dim> result;
  const auto size = static_cast<int64_t>(data->size());
  for (const Dim& index : *indices) {
    if (!index.is_constant()) return std::nullopt;
    const int64_t at = index.constant() < 0 ? index.constant() + size : index.constant();
    if (at < 0 || at >= size) return std::nullopt;
    result.push_back((*data)[static_cast<size_t>(at)]);
  }
  return result;
}

SequenceBehaviour behaviour(const NodeView& view, int axis) {
  const int gathered =
      normalised_axis(view, view.node.attributes.get_int("axis"), view.type(0).shape.rank());
  return axis == gathered ? SequenceBehaviour::kShift : SequenceBehaviour::kTokenLocal;
}

}  // namespace

void register_gather(OpRegistry& registry) {
  registry.add({.name = "Gather",
                .doc =
                    "data, indices -> data with `axis` replaced by the axes of indices; negative "
                    "indices count from the end (ONNX Gather)",
                .min_inputs = 2,
                .max_inputs = 2,
                .input_names = {"data", "indices"},
                .attributes = {int_attribute("axis", 0, "the axis that is indexed")},
                .infer = infer,
                .behaviour = behaviour,
                .known = known});
}

}  // namespace legato::ir
