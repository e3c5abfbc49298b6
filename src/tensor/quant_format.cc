#include "tensor/quant_format.h"

#include <array>
#include <cstring>

#include "base/check.h"
#include "base/checked.h"
#include "tensor/half.h"

namespace legato {
namespace {

constexpr size_t format_index(DType dtype) {
  return static_cast<size_t>(dtype) - static_cast<size_t>(DType::kQ8_0);
}

constexpr std::array<QuantFormat, kQuantisedDTypes.size()> kFormats = {{
    {DType::kQ8_0, 32, 34, 0, 8, 8, 128, false, QuantScales::kGroup},
    {DType::kQ4_0, 32, 18, 0, 4, 4, 8, false, QuantScales::kGroup},
    {DType::kQ4_1, 32, 20, 0, 4, 4, 0, true, QuantScales::kGroup},
    {DType::kQ5_0, 32, 22, 0, 5, 8, 16, false, QuantScales::kGroup},
    {DType::kQ5_1, 32, 24, 0, 5, 8, 0, true, QuantScales::kGroup},
    {DType::kQ4K, 256, 144, 0, 4, 4, 0, true, QuantScales::kSuper},
    {DType::kQ5K, 256, 176, 0, 5, 8, 0, true, QuantScales::kSuper},
    {DType::kQ6K, 256, 210, 0, 6, 6, 32, false, QuantScales::kSuper},
    {DType::kW8, 32, 32, 4, 8, 8, 128, false, QuantScales::kRow},
    {DType::kW4, 32, 20, 0, 4, 4, 0, true, QuantScales::kGroup},
}};
static_assert([] {
  for (const DType dtype : kQuantisedDTypes)
    if (kFormats[format_index(dtype)].dtype != dtype) return false;
  return true;
}());

uint16_t half_at(const std::byte* at) {
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

const uint8_t* bytes_at(const std::byte* at) { return reinterpret_cast<const uint8_t*>(at); }

/// 16 bytes of which byte i holds code i in its low and code i + 16 in its high half.
void unpack_nibbles(const uint8_t* in, uint8_t* codes) {
  for (int i = 0; i < 16; ++i) {
    codes[i] = in[i] & 0x0f;
    codes[i + 16] = in[i] >> 4;
  }
}

/// q5_0, q5_1: four bytes whose bit i is bit 4 of code i.
void add_fifth_bits(const uint8_t* in, uint8_t* codes) {
  uint32_t bits;
  std::memcpy(&bits, in, sizeof bits);
  for (int i = 0; i < kQuantGroup; ++i)
    codes[i] = static_cast<uint8_t>(codes[i] | (((bits >> i) & 1u) << 4));
}

/// q4_k, q5_k: the 6-bit scale and minimum of group j out of the 12 bytes that hold eight of each.
void unpack_six_bits(const uint8_t* in, int64_t j, uint8_t* sub) {
  if (j < 4) {
    sub[0] = in[j] & 63;
    sub[1] = in[j + 4] & 63;
  } else {
    sub[0] = static_cast<uint8_t>((in[j + 4] & 0x0f) | ((in[j - 4] >> 6) << 4));
    sub[1] = static_cast<uint8_t>((in[j + 4] >> 4) | ((in[j] >> 6) << 4));
  }
}

void read_group_scaled(DType dtype, const std::byte* block, QuantGroup& group) {
  group.scale = half_at(block);
  switch (dtype) {
    case DType::kQ8_0:
      for (int i = 0; i < kQuantGroup; ++i) group.codes[i] = bytes_at(block)[2 + i] ^ 0x80u;
      return;
    case DType::kQ4_0:
      return unpack_nibbles(bytes_at(block + 2), group.codes);
    case DType::kQ4_1:
    case DType::kW4:
      group.minimum = half_at(block + 2);
      return unpack_nibbles(bytes_at(block + 4), group.codes);
    case DType::kQ5_0:
      unpack_nibbles(bytes_at(block + 6), group.codes);
      return add_fifth_bits(bytes_at(block + 2), group.codes);
    case DType::kQ5_1:
      group.minimum = half_at(block + 2);
      unpack_nibbles(bytes_at(block + 8), group.codes);
      return add_fifth_bits(bytes_at(block + 4), group.codes);
    default:
      check_failed("a dtype with scales a group", __FILE__, __LINE__);
  }
}

/// q4_k: d, dmin, 12 bytes of scales, 128 of codes: groups 2i and 2i + 1 are the halves of 32
/// bytes. q5_k: the same with 32 bytes of fifth bits (bit j of byte i: group j, code i) before the
/// codes.
void read_group_5k(DType dtype, const std::byte* block, int64_t j, QuantGroup& group) {
  const bool fifth = dtype == DType::kQ5K;
  group.scale = half_at(block);
  group.minimum = half_at(block + 2);
  unpack_six_bits(bytes_at(block + 4), j, group.sub);
  const uint8_t* high = bytes_at(block + 16);
  const uint8_t* low = high + (fifth ? 32 : 0) + j / 2 * kQuantGroup;
  for (int i = 0; i < kQuantGroup; ++i) {
    group.codes[i] = j % 2 == 0 ? low[i] & 0x0f : low[i] >> 4;
    if (fifth) group.codes[i] = static_cast<uint8_t>(group.codes[i] | ((high[i] >> j & 1) << 4));
  }
}

/// q6_k: 128 bytes of low halves, 64 of upper two bits, 16 signed scales, d. Of each half of the
/// block (128 columns) the low halves are 64 bytes: groups 0 and 1 low, 2 and 3 high; the upper
/// bits 32 bytes, two bits a group.
void read_group_6k(const std::byte* block, int64_t j, QuantGroup& group) {
  const int64_t half = j / 4, part = j % 4;
  const uint8_t* low = bytes_at(block) + half * 64 + part % 2 * 32;
  const uint8_t* high = bytes_at(block) + 128 + half * 32;
  for (int i = 0; i < kQuantGroup; ++i) {
    const int nibble = part < 2 ? low[i] & 0x0f : low[i] >> 4;
    group.codes[i] = static_cast<uint8_t>(nibble | ((high[i] >> (2 * part) & 3) << 4));
  }
  const uint8_t* scales = bytes_at(block) + 192;
  group.sub[0] = scales[2 * j];
  group.sub[1] = scales[2 * j + 1];
  group.scale = half_at(block + 208);
}

}  // namespace

const QuantFormat& quant_format(DType dtype) {
  LEGATO_CHECK(is_quantised(dtype));
  return kFormats[format_index(dtype)];
}

bool is_quantised_matrix(DType dtype, const Shape& shape) {
  if (!is_quantised(dtype) || shape.rank() != 2 || shape[0] < 0) return false;
  const auto row = dtype_row_bytes(dtype, shape[1]);
  // Twice the bytes are as many as there are elements at least.
  return row && checked_mul(static_cast<uint64_t>(shape[0]), 2 * *row).has_value();
}

QuantGroup read_quant_group(DType dtype, const std::byte* row, int64_t group) {
  const QuantFormat& format = quant_format(dtype);
  const int64_t groups = format.block_elements / kQuantGroup;
  const std::byte* block =
      row + format.row_header_bytes + static_cast<size_t>(group / groups) * format.block_bytes;
  QuantGroup read;
  switch (format.scales) {
    case QuantScales::kGroup:
      read_group_scaled(dtype, block, read);
      break;
    case QuantScales::kSuper:
      if (dtype == DType::kQ6K) {
        read_group_6k(block, group % groups, read);
      } else {
        read_group_5k(dtype, block, group % groups, read);
      }
      break;
    case QuantScales::kRow:
      for (int i = 0; i < kQuantGroup; ++i) read.codes[i] = bytes_at(block)[i] ^ 0x80u;
      break;
  }
  return read;
}

void dequantize_group(const QuantFormat& format, const QuantGroup& group, float row_scale,
                      float* out) {
  float scale[2] = {row_scale, row_scale};
  float minimum = 0;
  if (format.scales != QuantScales::kRow) {
    scale[0] = scale[1] = f16_to_f32(group.scale);
    minimum = f16_to_f32(group.minimum);
  }
  if (format.scales == QuantScales::kSuper && format.affine) {
    scale[0] = scale[1] = scale[0] * group.sub[0];
    minimum = -(minimum * group.sub[1]);
  } else if (format.scales == QuantScales::kSuper) {
    scale[0] *= static_cast<int8_t>(group.sub[0]);
    scale[1] *= static_cast<int8_t>(group.sub[1]);
  }
  for (int i = 0; i < kQuantGroup; ++i) {
    const float product =
        scale[i / 16] * static_cast<float>(static_cast<int>(group.codes[i]) - format.zero);
    out[i] = format.affine ? product + minimum : product;
  }
}

void dequantize_row(DType dtype, const std::byte* row, ColumnRange columns, float* out) {
  const QuantFormat& format = quant_format(dtype);
  float row_scale = 0;
  if (format.scales == QuantScales::kRow) std::memcpy(&row_scale, row, sizeof row_scale);
  const int64_t first = columns.first / kQuantGroup;
  for (int64_t group = 0; group < columns.count / kQuantGroup; ++group)
    dequantize_group(format, read_quant_group(dtype, row, first + group), row_scale,
                     out + group * kQuantGroup);
}

}  // namespace legato
