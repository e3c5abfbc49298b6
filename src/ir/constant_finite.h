#pragma once

#include <string>

#include "ir/constant.h"

namespace legato::ir {

/// The same data; reading a row with a NaN or an infinity (in a quantised one: among its scales)
/// throws Error that names `where`, `what`, row and column.
ConstantPtr checked_finite(ConstantPtr source, std::string where, std::string what);

}  // namespace legato::ir
