#pragma once

#include "ir/op.h"
#include "ir/rules/slicing.h"

namespace legato::ir {

/// Known elements go through an op that only moves the shape of input 0.
std::optional<std::vector<Dim>> same_elements(const NodeView& view);
/// The one extent that two operands share: equal ones, or a number beside a name. Refuses others.
Dim shared_dim(const NodeView& view, const Dim& a, const Dim& b, std::string_view what);
/// Extents of a shape operand: its known elements, or a fresh name for each of them.
std::vector<Dim> shape_operand(const NodeView& view, const ListParameter& shape, size_t input);

}  // namespace legato::ir
