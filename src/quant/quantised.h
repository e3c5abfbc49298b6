#pragma once

#include <string>

#include "ir/constant.h"

namespace legato::quant {

/// A matrix of weights rounded to w8 or w4 as it is read (docs/weight-formats.md defines both):
/// nothing is held but the rows of a chunk. From any float or quantised dtype; what a format holds
/// exactly (w4 from q4_1) keeps its bits. Equal sources give equal bytes on every machine.
///
/// `name` is for messages. Throws Error at once for what cannot be quantised (no matrix, columns
/// that are no multiple of the block), and while reading for a number that is not finite.
ir::ConstantPtr quantised(ir::ConstantPtr source, DType dtype, std::string name);

}  // namespace legato::quant
