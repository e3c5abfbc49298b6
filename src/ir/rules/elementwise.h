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
OpSchema binary_number(std::string name, std::string doc, CombineDims known = nullptr);
/// a, b of one dtype, broadcast -> bool.
OpSchema comparison(std::string name, std::string doc);
/// a, b bool, broadcast -> bool.
OpSchema logical(std::string name, std::string doc);

}  // namespace legato::ir
