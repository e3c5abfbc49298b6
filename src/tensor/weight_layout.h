#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tensor/dtype.h"

namespace legato {

/// How a matrix [rows, columns] lies in the engine file. The numbers are part of the file format.
enum class WeightLayout : uint8_t {
  kPlain = 0,   ///< dense, row-major
  kRows32 = 1,  ///< panels of 32 rows, each column-major: element (r, c) at ((r/32)*columns + c)*32
                ///< + r%32; the last panel is padded with zero rows. One layout serves every CPU
                ///< level and any number of tokens. Quantised dtypes: see quant_panel.h.
};

inline constexpr int64_t kPanelRows = 32;

std::string_view layout_name(WeightLayout layout);
std::optional<WeightLayout> layout_from_name(std::string_view name);

/// Bytes that a matrix takes in this layout, or nullopt when an extent is negative, the columns are
/// no multiple of the dtype's block, or the bytes can't be counted.
std::optional<uint64_t> layout_bytes(WeightLayout layout, DType dtype, int64_t rows,
                                     int64_t columns);
/// Bytes of one panel of kPanelRows rows; of judged columns.
uint64_t panel_bytes(DType dtype, int64_t columns);

/// Index of element (row, column) in this layout, counted in elements; not for quantised dtypes.
int64_t layout_index(WeightLayout layout, int64_t columns, int64_t row, int64_t column);

/// Packs `rows` (<= 32) dense rows of `columns` elements into one kRows32 panel; missing rows
/// become zero.
void pack_panel(const std::byte* rows_data, int64_t rows, int64_t columns, size_t element_bytes,
                std::byte* panel);

}  // namespace legato
