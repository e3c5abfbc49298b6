#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

/// Extents as asked, with 0 replaced by the data's own; `free` becomes the index of the -1, or -1.
std::vector<Dim> asked_dims(const NodeView& view, const ListParameter& shape, int& free) {
  const bool copies = view.node.attributes.get_int("allowzero") == 0;
  std::vector<Dim> dims = shape_operand(view, shape, 1);
  free = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    const SymShape& data = view.type(0).shape;
    if (dims[i] == Dim(0) && copies) {
      if (static_cast<int>(i) >= data.rank())
        view.refuse(fmt::format("extent {} is 0, but the data has {} axes", i, data.rank()));
      dims[i] = data[static_cast<int>(i)];
    } else if (dims[i] == Dim(-1)) {
      if (free >= 0) view.refuse("two extents are -1");
      free = static_cast<int>(i);
    } else if (dims[i].is_constant() && dims[i].constant() < 0) {
      view.refuse(fmt::format("extent {} is {}", i, dims[i].to_string()));
    }
  }
  return dims;
}

/// The extent that -1 stands for, or a fresh name where the quotient can't be told.
Dim free_dim(const NodeView& view, const Dim& elements, const std::vector<Dim>& others, int index) {
  const auto product = bounded_product(others);
  if (!product || *product == Dim(0)) return fresh_dim(view, index);
  const auto quotient = elements.divided_by(*product);
  if (quotient) return *quotient;
  if (elements.is_constant() && product->is_constant())
    view.refuse(
        fmt::format("{} elements don't divide by {}", elements.to_string(), product->to_string()));
  return fresh_dim(view, index);
}

std::vector<ValueType> infer(const NodeView& view) {
  int free = -1;
  std::vector<Dim> dims = asked_dims(view, list_parameter(view, 1, "shape"), free);
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank))
    view.refuse(fmt::format("the shape has {} axes, expected at most 8", dims.size()));
  const Dim elements = view.type(0).shape.elements();
  if (free >= 0) {
    std::vector<Dim> others = dims;
    others.erase(others.begin() + free);
    dims[static_cast<size_t>(free)] = free_dim(view, elements, others, free);
  } else {
    const auto product = bounded_product(dims);
    if (product && product->is_constant() && elements.is_constant() && *product != elements)
      view.refuse(fmt::format("{} has {} elements, the shape {} has {}", input_name(view, 0),
                              elements.to_string(), SymShape(dims).to_string(),
                              product->to_string()));
  }
  return {{view.type(0).dtype, SymShape(std::move(dims))}};
}

}  // namespace

void register_reshape(OpRegistry& registry) {
  registry.add(
      {.name = "Reshape",
       .doc =
           "data [..], shape [n]? -> the same elements in another shape; -1 is what is left, 0 "
           "the data's own extent (ONNX Reshape). The shape is an attribute where it is constant",
       .min_inputs = 1,
       .max_inputs = 2,
       .input_names = {"data", "shape"},
       .attributes = {optional("shape", AttributeType::kInts, "extents, instead of input 1"),
                      int_attribute("allowzero", 0, "1: an extent 0 is 0")},
       .infer = infer,
       .behaviour = opaque,
       .known = same_elements});
}

}  // namespace legato::ir
