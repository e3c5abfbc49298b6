#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/ref/element.h"
#include "tensor/quant_format.h"

namespace legato::kernels::ref {

/// Row of a matrix of weights, in the plain layout, exactly as what it stands for.
inline void read_weight_row(const Operand& weight, int64_t row, double* out) {
  const int64_t columns = weight.columns();
  if (!is_quantised(weight.dtype)) {
    with_reader(weight.dtype, [&](auto reader) {
      for (int64_t k = 0; k < columns; ++k)
        out[k] = reader.at(weight.data, row * weight.row_stride + k);
    });
    return;
  }
  const QuantFormat& format = quant_format(weight.dtype);
  const std::byte* bytes = weight.as<const std::byte>() +
                           static_cast<size_t>(row) * *dtype_row_bytes(weight.dtype, columns);
  float row_scale = 0;
  if (format.scales == QuantScales::kRow) std::memcpy(&row_scale, bytes, sizeof row_scale);
  for (int64_t group = 0; group < columns / kQuantGroup; ++group) {
    float values[kQuantGroup];
    dequantize_group(format, read_quant_group(weight.dtype, bytes, group), row_scale, values);
    std::copy_n(values, kQuantGroup, out + group * kQuantGroup);
  }
}

}  // namespace legato::kernels::ref
