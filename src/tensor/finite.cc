#include "tensor/finite.h"

#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "tensor/half.h"
#include "tensor/quant_format.h"

namespace legato {
namespace {

constexpr uint16_t kF16Exponent = 0x7c00;
constexpr uint16_t kBF16Exponent = 0x7f80;
constexpr uint32_t kF32Exponent = 0x7f800000;

template <typename Bits>
Bits bits_at(const std::byte* at) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

/// Index of the first element whose exponent has all ones, or -1. Whole models go through here:
/// runs of a fixed length become vectors.
template <typename Bits>
int64_t find_exponent(const std::byte* elements, int64_t count, Bits exponent) {
  constexpr int64_t kRun = 64;
  int64_t i = 0;
  for (; i + kRun <= count; i += kRun) {
    std::array<Bits, kRun> run;
    std::memcpy(run.data(), elements + static_cast<size_t>(i) * sizeof(Bits), sizeof run);
    Bits found = 0;
    for (const Bits bits : run)
      found = static_cast<Bits>(found | ((bits & exponent) == exponent ? 1 : 0));
    if (found != 0) break;
  }
  for (; i < count; ++i) {
    const auto bits = bits_at<Bits>(elements + static_cast<size_t>(i) * sizeof(Bits));
    if ((bits & exponent) == exponent) return i;
  }
  return -1;
}

float element_at(DType dtype, const std::byte* at) {
  if (dtype == DType::kF16) return f16_to_f32(bits_at<uint16_t>(at));
  if (dtype == DType::kBF16) return bf16_to_f32(bits_at<uint16_t>(at));
  return bits_at<float>(at);
}

std::optional<NotFinite> find_element(DType dtype, const std::byte* rows, int64_t num_rows,
                                      int64_t columns) {
  const int64_t count = num_rows * columns;
  int64_t found = -1;
  if (dtype == DType::kF32) found = find_exponent<uint32_t>(rows, count, kF32Exponent);
  if (dtype == DType::kF16) found = find_exponent<uint16_t>(rows, count, kF16Exponent);
  if (dtype == DType::kBF16) found = find_exponent<uint16_t>(rows, count, kBF16Exponent);
  if (found < 0) return std::nullopt;
  const std::byte* at = rows + static_cast<size_t>(found) * dtype_bytes(dtype);
  return NotFinite{found / columns, found % columns, element_at(dtype, at)};
}

/// Where the f16 numbers of a block stand.
std::span<const size_t> half_offsets(const QuantFormat& format) {
  static constexpr std::array<size_t, 2> kFront = {0, 2};
  static constexpr std::array<size_t, 1> kQ6KScale = {208};
  if (format.scales == QuantScales::kRow) return {};
  if (format.dtype == DType::kQ6K) return kQ6KScale;
  return std::span(kFront).first(format.affine ? 2 : 1);
}

std::optional<NotFinite> find_scale(DType dtype, const std::byte* row, int64_t columns) {
  const QuantFormat& format = quant_format(dtype);
  if (format.scales == QuantScales::kRow) {
    const auto scale = bits_at<float>(row);
    if (!std::isfinite(scale)) return NotFinite{0, 0, scale};
  }
  const std::byte* block = row + format.row_header_bytes;
  for (int64_t column = 0; column < columns;
       column += format.block_elements, block += format.block_bytes)
    for (const size_t offset : half_offsets(format))
      if (const auto bits = bits_at<uint16_t>(block + offset);
          (bits & kF16Exponent) == kF16Exponent)
        return NotFinite{0, column, f16_to_f32(bits)};
  return std::nullopt;
}

}  // namespace

std::optional<NotFinite> find_not_finite(DType dtype, const std::byte* rows, int64_t num_rows,
                                         int64_t columns) {
  if (!is_quantised(dtype)) return find_element(dtype, rows, num_rows, columns);
  const size_t row_bytes = static_cast<size_t>(*dtype_row_bytes(dtype, columns));
  for (int64_t row = 0; row < num_rows; ++row, rows += row_bytes) {
    std::optional<NotFinite> found = find_scale(dtype, rows, columns);
    if (!found) continue;
    found->row = row;
    return found;
  }
  return std::nullopt;
}

}  // namespace legato
