#pragma once

#include <string>

#include "ir/op.h"

namespace legato::ir {

/// Schemas of the elementwise families; each op's file names its member and its formula.

/// x -> same type, floating-point.
OpSchema unary_float(std::string name, std::string doc);
/// x -> same type, any number.
OpSchema unary_number(std::string name, std::string doc);
/// a, b of one dtype, broadcast -> that dtype. `known` combines elements of shape tensors; null
/// where no shape arithmetic uses the op.
using CombineDims = std::optional<Dim> (*)(const Dim& a, const Dim& b);
/// Elements of a binary op on shape tensors of equal length, or one of them a single element.
std::optional<std::vector<Dim>> combine_known(const NodeView& view, CombineDims rule);
OpSchema binary_number(std::string name, std::string doc, CombineDims known = nullptr);
/// a, b of one dtype, broadcast -> bool.
OpSchema comparison(std::string name, std::string doc);
/// a, b bool, broadcast -> bool.
OpSchema logical(std::string name, std::string doc);

}  // namespace legato::ir
