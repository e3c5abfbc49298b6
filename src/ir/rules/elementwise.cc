#include "ir/rules/elementwise.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/rules/broadcast.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer_binary(const NodeView& view) {
  require_dtype(view, 1, view.type(0).dtype);
  return {{view.type(0).dtype, broadcast(view, view.type(0).shape, view.type(1).shape)}};
}

std::vector<ValueType> infer_comparison(const NodeView& view) {
  std::vector<ValueType> types = infer_binary(view);
  types[0].dtype = DType::kBool;
  return types;
}

void require_number(const NodeView& view, size_t input) {
  if (view.type(input).dtype == DType::kBool)
    view.refuse(fmt::format("{} is {}, expected numbers", input_name(view, input),
                            type_text(view.type(input))));
}

OpSchema binary(std::string name, std::string doc) {
  OpSchema schema;
  schema.name = std::move(name);
  schema.doc = "a, b, broadcast like numpy's: " + std::move(doc);
  schema.min_inputs = schema.max_inputs = 2;
  schema.input_names = {"a", "b"};
  schema.behaviour = token_local;
  return schema;
}

OpSchema unary(std::string name, std::string doc) {
  OpSchema schema;
  schema.name = std::move(name);
  schema.doc = "x [..] -> [..]: " + std::move(doc);
  schema.min_inputs = schema.max_inputs = 1;
  schema.input_names = {"x"};
  schema.behaviour = token_local;
  return schema;
}

}  // namespace

std::optional<std::vector<Dim>> combine_known(const NodeView& view, CombineDims rule) {
  const std::vector<Dim>* a = view.known(0);
  const std::vector<Dim>* b = view.known(1);
  if (a == nullptr || b == nullptr || view.type(0).shape.rank() > 1 ||
      view.type(1).shape.rank() > 1 || a->empty() || b->empty() ||
      (a->size() != b->size() && a->size() != 1 && b->size() != 1))
    return std::nullopt;
  std::vector<Dim> result;
  for (size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
    const auto dim = rule((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    if (!dim) return std::nullopt;
    result.push_back(*dim);
  }
  return result;
}

OpSchema unary_float(std::string name, std::string doc) {
  OpSchema schema = unary(std::move(name), std::move(doc));
  schema.infer = [](const NodeView& view) -> std::vector<ValueType> {
    require_float(view, 0);
    return {view.type(0)};
  };
  return schema;
}

OpSchema unary_number(std::string name, std::string doc) {
  OpSchema schema = unary(std::move(name), std::move(doc));
  schema.infer = [](const NodeView& view) -> std::vector<ValueType> {
    require_number(view, 0);
    return {view.type(0)};
  };
  return schema;
}

OpSchema binary_number(std::string name, std::string doc, CombineDims known) {
  OpSchema schema = binary(std::move(name), std::move(doc));
  schema.infer = [](const NodeView& view) {
    require_number(view, 0);
    return infer_binary(view);
  };
  if (known != nullptr)
    schema.known = [known](const NodeView& view) { return combine_known(view, known); };
  return schema;
}

OpSchema comparison(std::string name, std::string doc) {
  OpSchema schema = binary(std::move(name), std::move(doc) + " -> bool");
  schema.infer = infer_comparison;
  return schema;
}

OpSchema logical(std::string name, std::string doc) {
  OpSchema schema = binary(std::move(name), std::move(doc) + " -> bool");
  schema.infer = [](const NodeView& view) {
    require_dtype(view, 0, DType::kBool);
    return infer_binary(view);
  };
  return schema;
}

}  // namespace legato::ir
