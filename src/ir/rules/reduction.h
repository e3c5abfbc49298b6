#pragma once

#include <string>

#include "ir/op.h"

namespace legato::ir {

/// Schema of a reduction over `axes` (all where absent), which stay with extent 1 if keepdims.
OpSchema reduction(std::string name, std::string doc);
/// Schema of an op that keeps the type of x and combines what lies along `axis`.
OpSchema along_axis(std::string name, std::string doc, int64_t default_axis);
/// The same for floating-point numbers only, along the last axis unless another is named.
OpSchema along_float_axis(std::string name, std::string doc);

}  // namespace legato::ir
