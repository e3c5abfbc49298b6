#include "ir/rules/broadcast.h"

#include <fmt/format.h>

#include <algorithm>

namespace legato::ir {

SymShape broadcast(const NodeView& view, const SymShape& a, const SymShape& b) {
  const int rank = std::max(a.rank(), b.rank());
  SymShape result;
  for (int axis = 0; axis < rank; ++axis) {
    const int in_a = axis - (rank - a.rank());
    const int in_b = axis - (rank - b.rank());
    const Dim left = in_a < 0 ? Dim(1) : a[in_a];
    const Dim right = in_b < 0 ? Dim(1) : b[in_b];
    if (left == right || right == Dim(1)) {
      result.dims.push_back(left);
    } else if (left == Dim(1)) {
      result.dims.push_back(right);
    } else if (left.is_constant() != right.is_constant()) {
      result.dims.push_back(left.is_constant() ? left : right);
    } else {
      view.refuse(fmt::format("{} and {} don't broadcast: axis {} is {} and {}", a.to_string(),
                              b.to_string(), axis, left.to_string(), right.to_string()));
    }
  }
  return result;
}

}  // namespace legato::ir
