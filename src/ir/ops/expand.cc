#include "ir/rules/attributes.h"
#include "ir/rules/broadcast.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  const ListParameter shape = list_parameter(view, 1, "shape");
  const SymShape target(shape_operand(view, shape, 1));
  return {{view.type(0).dtype, broadcast(view, view.type(0).shape, target)}};
}

/// One known element repeated.
std::optional<std::vector<Dim>> known(const NodeView& view) {
  const std::vector<Dim>* data = view.known(0);
  const ListParameter shape = list_parameter(view, 1, "shape");
  if (data == nullptr || data->size() != 1 || !shape.known || shape.values.size() != 1 ||
      !shape.values[0].is_constant() || shape.values[0].constant() < 1 ||
      shape.values[0].constant() > 64)
    return std::nullopt;
  return std::vector<Dim>(static_cast<size_t>(shape.values[0].constant()), data->front());
}

}  // namespace

void register_expand(OpRegistry& registry) {
  registry.add(
      {.name = "Expand",
       .doc = "data [..], shape [n]? -> the data repeated along axes of extent 1, so that it "
              "broadcasts with the shape (ONNX Expand). The shape is an attribute where constant",
       .min_inputs = 1,
       .max_inputs = 2,
       .input_names = {"data", "shape"},
       .attributes = {optional("shape", AttributeType::kInts, "extents, instead of input 1")},
       .infer = infer,
       .behaviour = token_local,
       .known = known});
}

}  // namespace legato::ir
