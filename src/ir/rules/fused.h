#pragma once

#include "ir/op.h"

namespace legato::ir {

/// Attributes and checks that Linear and GatedMlp share: activation(norm(x) W^T + ...).
std::vector<AttributeSpec> projection_attributes();
/// Judges activation, norm and epsilon, and that the norm's operands are there exactly where the
/// norm has them, each [K].
void check_projection(const NodeView& view, size_t norm_weight, size_t norm_bias, const Dim& width);
/// Refuses an epsilon below zero or not finite.
void check_epsilon(const NodeView& view, std::string_view attribute);

}  // namespace legato::ir
