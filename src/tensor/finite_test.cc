#include "tensor/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tensor/half.h"
#include "tensor/quant_format.h"

namespace legato {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int64_t kRows = 3, kColumns = 512;

/// Rows whose every byte is finite in every place where a scale may stand.
std::vector<std::byte> harmless(DType dtype) {
  const auto bytes = *dtype_row_bytes(dtype, kColumns) * kRows;
  return std::vector<std::byte>(bytes, std::byte{0x35});
}

std::optional<NotFinite> find(DType dtype, const std::vector<std::byte>& rows) {
  return find_not_finite(dtype, rows.data(), kRows, kColumns);
}

TEST(Finite, EveryElementOfAFloatDtypeIsLookedAt) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    const std::vector<std::byte> good = harmless(dtype);
    EXPECT_FALSE(find(dtype, good));
    for (const int64_t index : {0L, 63L, 64L, 700L, 1535L}) {
      for (const float value : {NAN, kInf, -kInf}) {
        std::vector<std::byte> bad = good;
        std::byte* at = bad.data() + static_cast<size_t>(index) * dtype_bytes(dtype);
        const uint16_t half = dtype == DType::kF16 ? f32_to_f16(value) : f32_to_bf16(value);
        if (dtype == DType::kF32) std::memcpy(at, &value, sizeof value);
        if (dtype != DType::kF32) std::memcpy(at, &half, sizeof half);
        const auto found = find(dtype, bad);
        ASSERT_TRUE(found) << dtype_name(dtype) << " " << index;
        EXPECT_EQ(found->row, index / kColumns);
        EXPECT_EQ(found->column, index % kColumns);
        EXPECT_EQ(std::isnan(found->value), std::isnan(value));
        EXPECT_TRUE(std::isnan(value) || found->value == value);
      }
    }
  }
}

TEST(Finite, TheLargestNumbersPass) {
  for (const auto& [dtype, bits] : {std::pair{DType::kF16, 0x7bff}, {DType::kBF16, 0x7f7f}}) {
    std::vector<std::byte> rows = harmless(dtype);
    for (size_t i = 0; i < rows.size(); i += 2) std::memcpy(rows.data() + i, &bits, 2);
    EXPECT_FALSE(find(dtype, rows));
  }
}

/// Any change of a quantised matrix that makes a number infinite or NaN is found, and nothing else:
/// each pair of bytes in turn becomes an f16 infinity, and the reader of blocks is the judge.
TEST(Finite, AScaleIsFoundWhereverTheFormatHasOne) {
  for (int number = static_cast<int>(DType::kQ8_0); number < kNumDTypes; ++number) {
    const auto dtype = static_cast<DType>(number);
    const std::vector<std::byte> good = harmless(dtype);
    ASSERT_FALSE(find(dtype, good)) << dtype_name(dtype);
    const size_t row_bytes = good.size() / kRows;
    size_t num_found = 0;
    for (size_t i = 0; i + 2 <= row_bytes; i += 2) {
      std::vector<std::byte> bad = good;
      const uint16_t infinity = dtype == DType::kW8 ? 0x7f80 : 0x7c00;
      std::memcpy(bad.data() + row_bytes + i, &infinity, sizeof infinity);
      std::vector<float> numbers(kColumns);
      dequantize_row(dtype, bad.data() + row_bytes, kColumns, numbers.data());
      int64_t first = 0;
      while (first < kColumns && std::isfinite(numbers[static_cast<size_t>(first)])) ++first;
      const auto found = find(dtype, bad);
      ASSERT_EQ(found.has_value(), first < kColumns) << dtype_name(dtype) << " " << i;
      if (!found) continue;
      ++num_found;
      EXPECT_EQ(found->row, 1);
      EXPECT_EQ(found->column, first);
    }
    EXPECT_GT(num_found, 0u) << dtype_name(dtype);
  }
}

TEST(Finite, IntegersHaveNoNaN) {
  const std::vector<std::byte> ones(64, std::byte{0xff});
  EXPECT_FALSE(find_not_finite(DType::kI8, ones.data(), 1, 64));
}

}  // namespace
}  // namespace legato
