#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  const SymShape& data = view.type(0).shape;
  const bool all = !view.node.attributes.has("axes");
  std::vector<bool> dropped(static_cast<size_t>(data.rank()), false);
  for (const int64_t given : view.node.attributes.get_ints("axes")) {
    const int axis = normalised_axis(view, given, data.rank());
    // A named extent is taken at its word; a number has to be 1.
    if (data[axis].is_constant() && data[axis] != Dim(1))
      view.refuse(fmt::format("axis {} is {}, expected 1", axis, data[axis].to_string()));
    dropped[static_cast<size_t>(axis)] = true;
  }
  SymShape result;
  for (int axis = 0; axis < data.rank(); ++axis)
    if (!dropped[static_cast<size_t>(axis)] && !(all && data[axis] == Dim(1)))
      result.dims.push_back(data[axis]);
  return {{view.type(0).dtype, result}};
}

}  // namespace

void register_squeeze(OpRegistry& registry) {
  registry.add(
      {.name = "Squeeze",
       .doc = "data [..] -> the same elements without the given axes, whose extent is 1",
       .min_inputs = 1,
       .max_inputs = 1,
       .input_names = {"data"},
       .attributes = {optional("axes", AttributeType::kInts, "absent: all that are known to be 1")},
       .infer = infer,
       .behaviour = token_local,
       .known = same_elements});
}

}  // namespace legato::ir
