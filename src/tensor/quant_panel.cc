#include "tensor/quant_panel.h"

#include <cstring>

namespace legato {
namespace {

constexpr int64_t kGroupsOfSuper = kSuperBlock / kQuantGroup;
constexpr size_t kRows = static_cast<size_t>(kPanelRows);

/// Four codes of a row: those of quad `quad` of the group.
uint32_t load_quad(const uint8_t* codes, int64_t quad) {
  uint32_t word;
  std::memcpy(&word, codes + quad * 4, sizeof word);
  return word;
}
void store_quad(uint8_t* codes, int64_t quad, uint32_t word) {
  std::memcpy(codes + quad * 4, &word, sizeof word);
}

/// The same in a panel, where the quads of 32 rows stand side by side.
uint32_t load_lane(const uint8_t* codes, int64_t quad, int64_t row) {
  return load_quad(codes, quad * kPanelRows + row);
}
void store_lane(uint8_t* codes, int64_t quad, int64_t row, uint32_t word) {
  store_quad(codes, quad * kPanelRows + row, word);
}

constexpr uint32_t kLowHalves = 0x0f0f0f0fu;
constexpr uint32_t kTwoBits = 0x03030303u;

void put_codes(int bits, const uint8_t* row_codes, int64_t row, uint8_t* codes) {
  if (bits == 8) {
    for (int64_t quad = 0; quad < 8; ++quad)
      store_lane(codes, quad, row, load_quad(row_codes, quad));
    return;
  }
  for (int64_t quad = 0; quad < 4; ++quad)
    store_lane(codes, quad, row,
               (load_quad(row_codes, quad) & kLowHalves) |
                   (load_quad(row_codes, quad + 4) & kLowHalves) << 4);
  if (bits == 4) return;
  for (int64_t quad = 0; quad < 2; ++quad) {
    uint32_t word = 0;
    for (int64_t i = 0; i < 4; ++i)
      word |= (load_quad(row_codes, quad + 2 * i) >> 4 & kTwoBits) << (2 * i);
    store_lane(codes, 4 + quad, row, word);
  }
}

void get_codes(int bits, const uint8_t* codes, int64_t row, uint8_t* row_codes) {
  for (int64_t quad = 0; quad < 8; ++quad) {
    if (bits == 8) {
      store_quad(row_codes, quad, load_lane(codes, quad, row));
      continue;
    }
    uint32_t word = load_lane(codes, quad % 4, row) >> (quad < 4 ? 0 : 4) & kLowHalves;
    if (bits == 6) word |= (load_lane(codes, 4 + quad % 2, row) >> (quad / 2 * 2) & kTwoBits) << 4;
    store_quad(row_codes, quad, word);
  }
}

void put_half(std::byte* at, int64_t row, uint16_t half) {
  std::memcpy(at + static_cast<size_t>(row) * sizeof half, &half, sizeof half);
}

uint16_t get_half(const std::byte* at, int64_t row) {
  uint16_t half;
  std::memcpy(&half, at + static_cast<size_t>(row) * sizeof half, sizeof half);
  return half;
}

/// Begin of the super-block that a group belongs to.
size_t super_offset(const QuantPanel& panel, int64_t group) {
  return panel.group_offset(group / kGroupsOfSuper * kGroupsOfSuper) - panel.super_header_bytes;
}

void put_group(const QuantPanel& layout, std::byte* panel, int64_t row, int64_t index,
               const QuantGroup& group) {
  const QuantFormat& format = *layout.format;
  std::byte* at = panel + layout.group_offset(index);
  std::byte* scales =
      format.scales == QuantScales::kSuper ? panel + super_offset(layout, index) : at;
  if (format.scales != QuantScales::kRow) {
    put_half(scales, row, group.scale);
    if (format.affine) put_half(scales + 2 * kRows, row, group.minimum);
  }
  if (format.scales == QuantScales::kSuper) {
    at[row] = std::byte{group.sub[0]};
    at[static_cast<int64_t>(kRows) + row] = std::byte{group.sub[1]};
  }
  auto* codes = reinterpret_cast<uint8_t*>(at + layout.group_header_bytes);
  put_codes(format.panel_bits, group.codes, row, codes);
}

QuantGroup get_group(const QuantPanel& layout, const std::byte* panel, int64_t row, int64_t index) {
  const QuantFormat& format = *layout.format;
  const std::byte* at = panel + layout.group_offset(index);
  const std::byte* scales =
      format.scales == QuantScales::kSuper ? panel + super_offset(layout, index) : at;
  QuantGroup group;
  if (format.scales != QuantScales::kRow) {
    group.scale = get_half(scales, row);
    if (format.affine) group.minimum = get_half(scales + 2 * kRows, row);
  }
  if (format.scales == QuantScales::kSuper) {
    group.sub[0] = static_cast<uint8_t>(at[row]);
    group.sub[1] = static_cast<uint8_t>(at[static_cast<int64_t>(kRows) + row]);
  }
  const auto* codes = reinterpret_cast<const uint8_t*>(at + layout.group_header_bytes);
  get_codes(format.panel_bits, codes, row, group.codes);
  return group;
}

}  // namespace

QuantPanel::QuantPanel(const QuantFormat& of)
    : format(&of),
      panel_header_bytes(of.scales == QuantScales::kRow ? kRows * sizeof(float) : 0),
      super_header_bytes(of.scales == QuantScales::kSuper ? kRows * (of.affine ? 4 : 2) : 0),
      group_header_bytes(of.scales == QuantScales::kSuper   ? kRows * 2
                         : of.scales == QuantScales::kGroup ? kRows * (of.affine ? 4 : 2)
                                                            : 0),
      codes_bytes(kRows * static_cast<size_t>(kQuantGroup) * static_cast<size_t>(of.panel_bits) /
                  8) {}

size_t QuantPanel::group_offset(int64_t group) const {
  return panel_header_bytes + static_cast<size_t>(group) * group_bytes() +
         static_cast<size_t>(group / kGroupsOfSuper + 1) * super_header_bytes;
}

size_t QuantPanel::bytes(int64_t columns) const {
  const int64_t groups = columns / kQuantGroup;
  return panel_header_bytes + static_cast<size_t>(groups) * group_bytes() +
         static_cast<size_t>(groups / kGroupsOfSuper) * super_header_bytes;
}

void pack_quant_panel(DType dtype, const std::byte* rows_data, int64_t rows, int64_t columns,
                      std::byte* panel) {
  const QuantFormat& format = quant_format(dtype);
  const QuantPanel layout(format);
  const size_t row_bytes = *dtype_row_bytes(dtype, columns);
  std::memset(panel, 0, layout.bytes(columns));
  QuantGroup zero;
  std::memset(zero.codes, format.zero, sizeof zero.codes);
  for (int64_t row = 0; row < kPanelRows; ++row) {
    const std::byte* source = rows_data + static_cast<size_t>(row) * row_bytes;
    if (format.scales == QuantScales::kRow && row < rows)
      std::memcpy(panel + static_cast<size_t>(row) * sizeof(float), source, sizeof(float));
    for (int64_t group = 0; group < columns / kQuantGroup; ++group)
      put_group(layout, panel, row, group,
                row < rows ? read_quant_group(dtype, source, group) : zero);
  }
}

void dequantize_panel_row(DType dtype, const std::byte* panel, int64_t row, ColumnRange columns,
                          float* out) {
  const QuantFormat& format = quant_format(dtype);
  const QuantPanel layout(format);
  float row_scale = 0;
  if (format.scales == QuantScales::kRow)
    std::memcpy(&row_scale, panel + static_cast<size_t>(row) * sizeof row_scale, sizeof row_scale);
  const int64_t first = columns.first / kQuantGroup;
  for (int64_t group = 0; group < columns.count / kQuantGroup; ++group)
    dequantize_group(format, get_group(layout, panel, row, first + group), row_scale,
                     out + group * kQuantGroup);
}

}  // namespace legato
