#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace legato::quant {

/// A row of finite numbers (|x| <= kLargestF16) as w4 stores it: for each group of 32 columns a
/// scale s and a minimum m, both f16, and codes q of 0 to 15, so that sum (x - (s q + m))^2 is
/// small. The search starts from the group's range with its ends drawn in by several shares, fits
/// (s, m) to the codes by least squares, finds the codes anew, and so on; what is compared is the
/// error with s and m as stored. The result has never a larger error than the plain one (s = range
/// / 15, m = least number), is the same on every machine, and 0 for 16 equally spaced numbers.
void quantise_w4_row(const float* row, int64_t columns, std::byte* out);

/// The same by each instruction level that this machine has, the fastest last: equal bits.
using QuantiseW4Row = void (*)(const float* row, int64_t columns, std::byte* out);
std::vector<QuantiseW4Row> w4_row_levels();

}  // namespace legato::quant
