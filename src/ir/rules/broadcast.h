#pragma once

#include "ir/op.h"

namespace legato::ir {

/// The shape that two operands take together, aligned at the last axis: equal extents stay, 1 gives
/// way. A number beside a named extent wins, since the two can only be equal or the name be 1;
/// two different names are refused.
SymShape broadcast(const NodeView& view, const SymShape& a, const SymShape& b);

}  // namespace legato::ir
