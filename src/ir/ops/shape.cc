#include <algorithm>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::optional<std::vector<Dim>> extents(const NodeView& view) {
  const std::vector<Dim>& dims = view.type(0).shape.dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const auto bound = [&](const char* name, int64_t otherwise) {
    if (!view.node.attributes.has(name)) return otherwise;
    const int64_t at = view.node.attributes.get_int(name);
    return std::clamp(at < 0 ? at + rank : at, int64_t{0}, rank);
  };
  const int64_t start = bound("start", 0);
  const int64_t end = std::max(bound("end", rank), start);
  return std::vector<Dim>(dims.begin() + start, dims.begin() + end);
}

}  // namespace

void register_shape(OpRegistry& registry) {
  registry.add({.name = "Shape",
                .doc = "data [..] -> i64 [n]: extents of the axes [start, end) (ONNX Shape)",
                .min_inputs = 1,
                .max_inputs = 1,
                .input_names = {"data"},
                .attributes = {optional("start", AttributeType::kInt, "absent: 0"),
                               optional("end", AttributeType::kInt, "absent: the number of axes")},
                .infer = [](const NodeView& view) -> std::vector<ValueType> {
                  return {{DType::kI64, {static_cast<int64_t>(extents(view)->size())}}};
                },
                .behaviour = opaque,
                .known = extents});
}

}  // namespace legato::ir
