#include "ir/rules/shapes.h"

#include <fmt/format.h>

#include "ir/rules/operands.h"

namespace legato::ir {

std::optional<std::vector<Dim>> same_elements(const NodeView& view) {
  const std::vector<Dim>* known = view.known(0);
  return known == nullptr ? std::nullopt : std::optional(*known);
}

Dim shared_dim(const NodeView& view, const Dim& a, const Dim& b, std::string_view what) {
  if (a == b) return a;
  if (a.is_constant() != b.is_constant()) return a.is_constant() ? a : b;
  view.refuse(
      fmt::format("{} is {} and {}, expected the same", what, a.to_string(), b.to_string()));
}

std::vector<Dim> shape_operand(const NodeView& view, const ListParameter& shape, size_t input) {
  if (!shape.present) view.refuse("the shape is missing");
  if (shape.known) return shape.values;
  const Dim& length = view.type(input).shape[0];
  if (!length.is_constant() || length.constant() > Shape::kMaxRank)
    view.refuse(fmt::format("{} is {}, expected a length up to {}", input_name(view, input),
                            type_text(view.type(input)), Shape::kMaxRank));
  std::vector<Dim> dims;
  for (int i = 0; i < static_cast<int>(length.constant()); ++i) dims.push_back(fresh_dim(view, i));
  return dims;
}

}  // namespace legato::ir
