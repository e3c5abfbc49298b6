#include <fmt/format.h>

#include "base/checked.h"
#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

constexpr int64_t kMaxParts = 4096;

int axis_of(const NodeView& view) {
  return normalised_axis(view, view.node.attributes.get_int("axis"), view.type(0).shape.rank());
}

/// Extents of equal parts; the last is smaller where the number doesn't divide the axis.
std::vector<Dim> equal_parts(const NodeView& view, const Dim& extent, int64_t count) {
  if (const auto part = extent.divided_by(Dim(count)))
    return std::vector<Dim>(static_cast<size_t>(count), *part);
  if (!extent.is_constant())
    view.refuse(
        fmt::format("axis of {} is not known to divide into {} parts", extent.to_string(), count));
  const int64_t part = ceil_div(extent.constant(), count);
  std::vector<Dim> parts(static_cast<size_t>(count), Dim(part));
  const int64_t last = extent.constant() - part * (count - 1);
  if (last < 0) view.refuse(fmt::format("{} does not split into {}", extent.to_string(), count));
  parts.back() = last;
  return parts;
}

std::vector<Dim> given_parts(const NodeView& view, const Dim& extent) {
  std::vector<Dim> parts;
  Dim sum(0);
  for (const int64_t part : view.node.attributes.get_ints("split")) {
    if (part < 0) view.refuse(fmt::format("a part is {}", part));
    parts.emplace_back(part);
    sum = sum + part;
  }
  if (extent.is_constant() && sum != extent)
    view.refuse(
        fmt::format("the parts add up to {}, expected {}", sum.to_string(), extent.to_string()));
  return parts;
}

std::vector<ValueType> infer(const NodeView& view) {
  const bool given = view.node.attributes.has("split");
  const int64_t count = view.node.attributes.get_int("num_outputs");
  if (given == (count != 0)) view.refuse("expected either split or num_outputs");
  if (count < 0 || count > kMaxParts)
    view.refuse(fmt::format("has {} parts, expected at most {}", count, kMaxParts));
  const auto axis = static_cast<size_t>(axis_of(view));
  const Dim& extent = view.type(0).shape.dims[axis];
  std::vector<ValueType> types;
  for (const Dim& part : given ? given_parts(view, extent) : equal_parts(view, extent, count)) {
    types.push_back(view.type(0));
    types.back().shape.dims[axis] = part;
  }
  if (types.empty()) view.refuse("has no parts");
  return types;
}

}  // namespace

void register_split(OpRegistry& registry) {
  registry.add({.name = "Split",
                .doc = "data [..] -> parts along `axis`, one output each (ONNX Split)",
                .min_inputs = 1,
                .max_inputs = 1,
                .num_outputs = 0,
                .input_names = {"data"},
                .attributes = {int_attribute("axis", 0, "the axis that is cut"),
                               optional("split", AttributeType::kInts, "extent of each part"),
                               int_attribute("num_outputs", 0, "instead: so many equal parts")},
                .infer = infer,
                .behaviour = [](const NodeView& view, int axis) {
                  return axis == axis_of(view) ? SequenceBehaviour::kShift
                                               : SequenceBehaviour::kTokenLocal;
                }});
}

}  // namespace legato::ir
