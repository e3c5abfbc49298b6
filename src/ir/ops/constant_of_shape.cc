#include <fmt/format.h>

#include <cmath>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  const std::string name = view.node.attributes.get_string("dtype");
  const auto dtype = dtype_from_name(name);
  if (!dtype) view.refuse(fmt::format("attribute \"dtype\" is \"{}\", expected a dtype", name));
  return {{*dtype, SymShape(shape_operand(view, list_parameter(view, 0, "shape"), 0))}};
}

std::optional<std::vector<Dim>> known(const NodeView& view) {
  const ListParameter shape = list_parameter(view, 0, "shape");
  const double value = view.node.attributes.get_float("value");
  if (!shape.known || shape.values.size() > 1 || std::abs(value) > 9e15) return std::nullopt;
  const Dim count = shape.values.empty() ? Dim(1) : shape.values[0];
  if (!count.is_constant() || count.constant() < 0 || count.constant() > 64) return std::nullopt;
  return std::vector<Dim>(static_cast<size_t>(count.constant()), Dim(static_cast<int64_t>(value)));
}

}  // namespace

void register_constant_of_shape(OpRegistry& registry) {
  registry.add(
      {.name = "ConstantOfShape",
       .doc = "shape [n]? -> a tensor of that shape with every element `value`. The shape is an "
              "attribute where it is constant",
       .min_inputs = 0,
       .max_inputs = 1,
       .input_names = {"shape"},
       .attributes = {optional("shape", AttributeType::kInts, "extents, instead of input 0"),
                      float_attribute("value", 0.0, "of each element"),
                      string_attribute("dtype", "f32", "of the result")},
       .infer = infer,
       .behaviour = opaque,
       .known = known});
}

}  // namespace legato::ir
