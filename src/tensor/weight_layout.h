#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace legato {

/// How a matrix [rows, columns] lies in the engine file. The numbers are part of the file format.
enum class WeightLayout : uint8_t {
  kPlain = 0,   ///< dense, row-major
  kRows32 = 1,  ///< panels of 32 rows, each column-major: element (r, c) at ((r/32)*columns + c)*32
                ///< + r%32; the last panel is padded with zero rows. One layout serves every CPU
                ///< level and any number of tokens.
};

inline constexpr int64_t kPanelRows = 32;

std::string_view layout_name(WeightLayout layout);
std::optional<WeightLayout> layout_from_name(std::string_view name);

/// Bytes that a matrix takes in this layout.
uint64_t layout_bytes(WeightLayout layout, int64_t rows, int64_t columns, size_t element_bytes);

/// Index of element (row, column) in this layout, counted in elements.
int64_t layout_index(WeightLayout layout, int64_t columns, int64_t row, int64_t column);

/// Packs `rows` (<= 32) dense rows of `columns` elements into one kRows32 panel; missing rows
/// become zero.
void pack_panel(const std::byte* rows_data, int64_t rows, int64_t columns, size_t element_bytes,
                std::byte* panel);

}  // namespace legato
