#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

std::vector<ValueType> infer(const NodeView& view) {
  const SymShape& data = view.type(0).shape;
  std::vector<int64_t> perm = view.node.attributes.get_ints("perm");
  std::vector<int64_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> axes(static_cast<size_t>(data.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  if (sorted != axes)
    view.refuse(fmt::format("attribute \"perm\" is no order of {} axes", data.rank()));
  SymShape result;
  for (const int64_t axis : perm) result.dims.push_back(data[static_cast<int>(axis)]);
  return {{view.type(0).dtype, result}};
}

}  // namespace

void register_transpose(OpRegistry& registry) {
  registry.add({.name = "Transpose",
                .doc = "data [..] -> axis i of the result is axis perm[i] of the data",
                .min_inputs = 1,
                .max_inputs = 1,
                .input_names = {"data"},
                .attributes = {required("perm", AttributeType::kInts, "an order of all axes")},
                .infer = infer,
                .behaviour = token_local});
}

}  // namespace legato::ir
