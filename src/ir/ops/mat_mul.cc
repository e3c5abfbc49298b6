#include "ir/rules/broadcast.h"
#include "ir/rules/operands.h"
#include "ir/rules/shapes.h"

namespace legato::ir {
namespace {

/// A vector is a row on the left and a column on the right; that axis then vanishes.
std::vector<ValueType> infer(const NodeView& view) {
  require_rank_at_least(view, 0, 1);
  require_rank_at_least(view, 1, 1);
  require_dtype(view, 1, view.type(0).dtype);
  const SymShape& a = view.type(0).shape;
  const SymShape& b = view.type(1).shape;
  const bool row = a.rank() == 1;
  const bool column = b.rank() == 1;
  shared_dim(view, a.dims.back(), column ? b[0] : b[b.rank() - 2], "the axis that is summed over");
  SymShape left;
  SymShape right;
  if (!row) left.dims.assign(a.dims.begin(), a.dims.end() - 2);
  if (!column) right.dims.assign(b.dims.begin(), b.dims.end() - 2);
  SymShape result = broadcast(view, left, right);
  if (!row) result.dims.push_back(a[a.rank() - 2]);
  if (!column) result.dims.push_back(b.dims.back());
  return {{view.type(0).dtype, result}};
}

}  // namespace

void register_mat_mul(OpRegistry& registry) {
  registry.add({.name = "MatMul",
                .doc = "a [.., M, K], b [.., K, N] -> [.., M, N], leading axes broadcast; a vector "
                       "stands for a row or column (ONNX MatMul)",
                .min_inputs = 2,
                .max_inputs = 2,
                .input_names = {"a", "b"},
                .infer = infer,
                .behaviour = reduces_last_axis});
}

}  // namespace legato::ir
