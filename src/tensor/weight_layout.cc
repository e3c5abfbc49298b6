#include "tensor/weight_layout.h"

#include <cstring>

#include "base/check.h"
#include "base/checked.h"
#include "tensor/quant_panel.h"

namespace legato {
namespace {

template <typename T>
void pack_typed(const std::byte* rows_data, int64_t rows, int64_t columns, std::byte* panel) {
  const T* in = reinterpret_cast<const T*>(rows_data);
  T* out = reinterpret_cast<T*>(panel);
  // A tile of columns at a time keeps the strided writes inside the cache.
  constexpr int64_t kTile = 64;
  for (int64_t begin = 0; begin < columns; begin += kTile) {
    const int64_t end = begin + kTile < columns ? begin + kTile : columns;
    for (int64_t row = 0; row < kPanelRows; ++row)
      for (int64_t column = begin; column < end; ++column)
        out[column * kPanelRows + row] = row < rows ? in[row * columns + column] : T{0};
  }
}

}  // namespace

std::string_view layout_name(WeightLayout layout) {
  return layout == WeightLayout::kPlain ? "plain" : "rows32";
}

std::optional<WeightLayout> layout_from_name(std::string_view name) {
  if (name == "plain") return WeightLayout::kPlain;
  if (name == "rows32") return WeightLayout::kRows32;
  return std::nullopt;
}

std::optional<uint64_t> layout_bytes(WeightLayout layout, DType dtype, int64_t rows,
                                     int64_t columns) {
  const auto row = dtype_row_bytes(dtype, columns);
  if (!row || rows < 0 || rows > INT64_MAX - kPanelRows) return std::nullopt;
  if (layout == WeightLayout::kPlain) return checked_mul(static_cast<uint64_t>(rows), *row);
  // A panel is never larger than twice its rows, so that none which can be counted wraps.
  if (!checked_mul(*row, uint64_t{4 * kPanelRows})) return std::nullopt;
  return checked_mul(static_cast<uint64_t>(ceil_div(rows, kPanelRows)),
                     panel_bytes(dtype, columns));
}

uint64_t panel_bytes(DType dtype, int64_t columns) {
  if (is_quantised(dtype)) return QuantPanel(quant_format(dtype)).bytes(columns);
  return static_cast<uint64_t>(kPanelRows * columns) * dtype_bytes(dtype);
}

int64_t layout_index(WeightLayout layout, int64_t columns, int64_t row, int64_t column) {
  if (layout == WeightLayout::kPlain) return row * columns + column;
  return ((row / kPanelRows) * columns + column) * kPanelRows + row % kPanelRows;
}

void pack_panel(const std::byte* rows_data, int64_t rows, int64_t columns, size_t element_bytes,
                std::byte* panel) {
  switch (element_bytes) {
    case 1:
      return pack_typed<uint8_t>(rows_data, rows, columns, panel);
    case 2:
      return pack_typed<uint16_t>(rows_data, rows, columns, panel);
    case 4:
      return pack_typed<uint32_t>(rows_data, rows, columns, panel);
    case 8:
      return pack_typed<uint64_t>(rows_data, rows, columns, panel);
    default:
      check_failed("an element of 1, 2, 4 or 8 bytes", __FILE__, __LINE__);
  }
}

}  // namespace legato
