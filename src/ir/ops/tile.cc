#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  const ListParameter repeats = list_parameter(view, 1, "repeats");
  const std::vector<Dim> counts = shape_operand(view, repeats, 1);
  SymShape result = view.type(0).shape;
  if (static_cast<int>(counts.size()) != result.rank())
    view.refuse(fmt::format("has {} repeats for {} axes", counts.size(), result.rank()));
  for (size_t axis = 0; axis < counts.size(); ++axis) {
    if (counts[axis].is_constant() && counts[axis].constant() < 0)
      view.refuse(fmt::format("a repeat is {}", counts[axis].to_string()));
    const auto product = bounded_product({result.dims[axis], counts[axis]});
    result.dims[axis] = product && is_bounded(*product) && repeats.known
                            ? *product
                            : fresh_dim(view, static_cast<int>(axis));
  }
  return {{view.type(0).dtype, result}};
}

}  // namespace

void register_tile(OpRegistry& registry) {
  registry.add(
      {.name = "Tile",
       .doc = "data [..], repeats [rank]? -> the data so many times along each axis (ONNX Tile). "
              "The repeats are an attribute where they are constant",
       .min_inputs = 1,
       .max_inputs = 2,
       .input_names = {"data", "repeats"},
       .attributes = {optional("repeats", AttributeType::kInts, "instead of input 1")},
       .infer = infer,
       .behaviour = opaque});
}

}  // namespace legato::ir
