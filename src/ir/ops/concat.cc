#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

int axis_of(const NodeView& view) {
  return normalised_axis(view, view.node.attributes.get_int("axis"), view.type(0).shape.rank());
}

std::vector<ValueType> infer(const NodeView& view) {
  const int axis = axis_of(view);
  SymShape result = view.type(0).shape;
  for (size_t i = 1; i < view.node.inputs.size(); ++i) {
    if (!view.has(i)) view.refuse(input_name(view, i) + " is absent");
    require_dtype(view, i, view.type(0).dtype);
    require_rank(view, i, result.rank());
    const SymShape& part = view.type(i).shape;
    for (int other = 0; other < result.rank(); ++other) {
      Dim& dim = result.dims[static_cast<size_t>(other)];
      dim = other == axis ? dim + part[other]
                          : shared_dim(view, dim, part[other], fmt::format("axis {}", other));
    }
    if (!is_bounded(result.dims[static_cast<size_t>(axis)])) view.refuse("the sum is too complex");
  }
  return {{view.type(0).dtype, result}};
}

std::optional<std::vector<Dim>> known(const NodeView& view) {
  if (view.type(0).shape.rank() != 1) return std::nullopt;
  std::vector<Dim> result;
  for (size_t i = 0; i < view.node.inputs.size(); ++i) {
    const std::vector<Dim>* part = view.known(i);
    if (part == nullptr) return std::nullopt;
    result.insert(result.end(), part->begin(), part->end());
  }
  return result;
}

}  // namespace

void register_concat(OpRegistry& registry) {
  registry.add({.name = "Concat",
                .doc = "parts of one dtype -> one after the other along `axis`",
                .min_inputs = 1,
                .max_inputs = 4096,
                .input_names = {"part"},
                .attributes = {required("axis", AttributeType::kInt, "where they are joined")},
                .infer = infer,
                .behaviour =
                    [](const NodeView& view, int axis) {
                      return axis == axis_of(view) ? SequenceBehaviour::kShift
                                                   : SequenceBehaviour::kTokenLocal;
                    },
                .known = known});
}

}  // namespace legato::ir
