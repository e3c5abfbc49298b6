#pragma once

#include <cstddef>
#include <cstdint>

namespace legato::quant {

/// A row of finite numbers as w8 stores it: scale = max |x| / 127, code = x / scale to the nearest
/// integer, so that |x - scale * code| <= scale / 2. A row too small for a normal f32 scale is
/// zero.
void quantise_w8_row(const float* row, int64_t columns, std::byte* out);

}  // namespace legato::quant
