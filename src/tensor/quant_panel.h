#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/quant_format.h"
#include "tensor/weight_layout.h"

namespace legato {

/// How a quantised matrix lies in WeightLayout::kRows32: panels of 32 rows; within one, groups of
/// 32 columns follow each other, each of them one contiguous run for all 32 rows, so that a kernel
/// reads one stream. All parts are multiples of 64 bytes.
///
///   panel, kRow:    scales (f32, one a row), then the groups
///   panel, kSuper:  super-blocks of 8 groups, each after d and, when affine, dmin (f16, one a
///                   row)
///   group, kGroup:  scales and, when affine, minima (f16, one a row), then codes
///   group, kSuper:  sub[0], sub[1] (one byte a row), then codes
///
/// Codes are unsigned (QuantGroup::codes) and stand in quads of columns, so that a 32-bit lane
/// meets four activations: of column c = 4 q + b of the group and row r
///   8 bits: byte (q * 32 + r) * 4 + b
///   4 bits: byte (q % 4 * 32 + r) * 4 + b, low half for q < 4, high half for q >= 4
///   6 bits: the lower four as 4 bits; the upper two in byte 512 + (q % 2 * 32 + r) * 4 + b, bits
///           2 (q / 2) and 2 (q / 2) + 1
struct QuantPanel {
  explicit QuantPanel(const QuantFormat& format);

  const QuantFormat* format;
  size_t panel_header_bytes;  ///< kRow
  size_t super_header_bytes;  ///< kSuper, of each 8 groups
  size_t group_header_bytes;
  size_t codes_bytes;

  size_t group_bytes() const { return group_header_bytes + codes_bytes; }
  /// Bytes of a whole panel; columns a multiple of the format's block.
  size_t bytes(int64_t columns) const;
  /// From the panel's begin to the group's.
  size_t group_offset(int64_t group) const;
};

/// Packs `rows` (<= 32) rows of the plain layout, one after the other, into one panel; missing rows
/// become zero.
void pack_quant_panel(DType dtype, const std::byte* rows_data, int64_t rows, int64_t columns,
                      std::byte* panel);

/// Columns of row `row` (< 32) of a panel as floats, the same bits as dequantize_row() gives.
void dequantize_panel_row(DType dtype, const std::byte* panel, int64_t row, ColumnRange columns,
                          float* out);
/// The first `columns` of them.
inline void dequantize_panel_row(DType dtype, const std::byte* panel, int64_t row, int64_t columns,
                                 float* out) {
  dequantize_panel_row(dtype, panel, row, ColumnRange{0, columns}, out);
}

}  // namespace legato
