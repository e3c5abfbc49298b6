#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  const std::vector<int64_t> axes = view.node.attributes.get_ints("axes");
  const int64_t rank = view.type(0).shape.rank() + static_cast<int64_t>(axes.size());
  if (rank > Shape::kMaxRank) view.refuse(fmt::format("the result has {} axes", rank));
  std::vector<bool> is_new(static_cast<size_t>(rank), false);
  for (const int64_t given : axes) {
    const int axis = normalised_axis(view, given, static_cast<int>(rank));
    if (is_new[static_cast<size_t>(axis)]) view.refuse(fmt::format("axis {} comes twice", axis));
    is_new[static_cast<size_t>(axis)] = true;
  }
  SymShape result;
  int next = 0;
  for (const bool added : is_new)
    result.dims.push_back(added ? Dim(1) : view.type(0).shape[next++]);
  return {{view.type(0).dtype, result}};
}

}  // namespace

void register_unsqueeze(OpRegistry& registry) {
  registry.add({.name = "Unsqueeze",
                .doc = "data [..] -> the same elements with axes of extent 1 at the given places",
                .min_inputs = 1,
                .max_inputs = 1,
                .input_names = {"data"},
                .attributes = {required("axes", AttributeType::kInts, "counted in the result")},
                .infer = infer,
                .behaviour = token_local,
                .known = same_elements});
}

}  // namespace legato::ir
