#include "ir/rules/reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

/// For each axis of x whether it is reduced.
std::vector<bool> reduced_axes(const NodeView& view) {
  const int rank = view.type(0).shape.rank();
  const bool all = !view.node.attributes.has("axes");
  std::vector<bool> reduced(static_cast<size_t>(rank), all);
  for (const int64_t axis : view.node.attributes.get_ints("axes"))
    reduced[static_cast<size_t>(normalised_axis(view, axis, rank))] = true;
  return reduced;
}

std::vector<ValueType> infer_reduction(const NodeView& view) {
  if (view.type(0).dtype == DType::kBool)
    view.refuse(
        fmt::format("{} is {}, expected numbers", input_name(view, 0), type_text(view.type(0))));
  const std::vector<bool> reduced = reduced_axes(view);
  const bool keep = view.node.attributes.get_int("keepdims") != 0;
  SymShape shape;
  for (size_t axis = 0; axis < reduced.size(); ++axis) {
    if (!reduced[axis]) {
      shape.dims.push_back(view.type(0).shape.dims[axis]);
    } else if (keep) {
      shape.dims.emplace_back(1);
    }
  }
  return {{view.type(0).dtype, shape}};
}

}  // namespace

OpSchema reduction(std::string name, std::string doc) {
  OpSchema schema;
  schema.name = std::move(name);
  schema.doc = "x [..] -> " + std::move(doc) + " along the axes (ONNX " + schema.name + ")";
  schema.min_inputs = schema.max_inputs = 1;
  schema.input_names = {"x"};
  schema.attributes = {optional("axes", AttributeType::kInts, "absent: all"),
                       int_attribute("keepdims", 1, "1: reduced axes stay with extent 1")};
  schema.infer = infer_reduction;
  schema.behaviour = [](const NodeView& view, int axis) {
    const std::vector<bool> reduced = reduced_axes(view);
    const bool combines = axis >= 0 && static_cast<size_t>(axis) < reduced.size() &&
                          reduced[static_cast<size_t>(axis)];
    return combines ? SequenceBehaviour::kReduction : SequenceBehaviour::kTokenLocal;
  };
  return schema;
}

OpSchema along_axis(std::string name, std::string doc, int64_t default_axis) {
  OpSchema schema;
  schema.name = std::move(name);
  schema.doc = "x [..] -> [..]: " + std::move(doc);
  schema.min_inputs = schema.max_inputs = 1;
  schema.input_names = {"x"};
  schema.attributes = {int_attribute("axis", default_axis, "the axis whose elements combine")};
  schema.infer = [](const NodeView& view) -> std::vector<ValueType> {
    normalised_axis(view, view.node.attributes.get_int("axis"), view.type(0).shape.rank());
    return {view.type(0)};
  };
  schema.behaviour = [](const NodeView& view, int axis) {
    const int own =
        normalised_axis(view, view.node.attributes.get_int("axis"), view.type(0).shape.rank());
    return axis == own ? SequenceBehaviour::kReduction : SequenceBehaviour::kTokenLocal;
  };
  return schema;
}

OpSchema along_float_axis(std::string name, std::string doc) {
  OpSchema schema = along_axis(std::move(name), std::move(doc), -1);
  schema.infer = [infer = std::move(schema.infer)](const NodeView& view) {
    require_float(view, 0);
    return infer(view);
  };
  return schema;
}

}  // namespace legato::ir
