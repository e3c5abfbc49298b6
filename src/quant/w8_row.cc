#include "quant/w8_row.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

namespace legato::quant {

void quantise_w8_row(const float* row, int64_t columns, std::byte* out) {
  constexpr float kLargestCode = 127;
  float largest = 0;
  for (int64_t i = 0; i < columns; ++i) largest = std::max(largest, std::fabs(row[i]));
  float scale = largest / kLargestCode;
  if (scale < FLT_MIN) scale = 0;
  const float inverse = scale > 0 ? 1 / scale : 0;
  std::memcpy(out, &scale, sizeof scale);
  auto* codes = reinterpret_cast<int8_t*>(out + sizeof scale);
  for (int64_t i = 0; i < columns; ++i) {
    const float code = std::clamp(row[i] * inverse, -kLargestCode, kLargestCode);
    // Half away from zero: truncation of the shifted number, which runs on whole vectors.
    codes[i] = static_cast<int8_t>(code + std::copysign(0.5f, code));
  }
}

}  // namespace legato::quant
