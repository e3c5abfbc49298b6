#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "tensor/half.h"
#include "tensor/quant_panel.h"
#include "tensor/tensor.h"

namespace legato {
namespace {

/// Random bytes whose f16 numbers are finite: of each format the places of its scales are known.
std::vector<std::byte> random_rows(DType dtype, int64_t rows, int64_t columns) {
  const QuantFormat& format = quant_format(dtype);
  const size_t row_bytes = *dtype_row_bytes(dtype, columns);
  std::mt19937 random(static_cast<unsigned>(dtype));
  std::vector<std::byte> bytes(static_cast<size_t>(rows) * row_bytes);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xffu);
  const auto put = [](std::byte* at, float value) {
    const uint16_t half = f32_to_f16(value);
    std::memcpy(at, &half, sizeof half);
  };
  for (int64_t row = 0; row < rows; ++row) {
    std::byte* at = bytes.data() + static_cast<size_t>(row) * row_bytes;
    if (format.scales == QuantScales::kRow) {
      const float scale = 0.01f * static_cast<float>(row + 1);
      std::memcpy(at, &scale, sizeof scale);
      continue;
    }
    for (; at < bytes.data() + static_cast<size_t>(row + 1) * row_bytes; at += format.block_bytes) {
      const float number = static_cast<float>(random() % 1000) / 500 - 1;
      put(dtype == DType::kQ6K ? at + 208 : at, number);
      if (format.affine) put(at + 2, -number / 3);
    }
  }
  return bytes;
}

TEST(Quant, PanelsHoldTheBitsOfTheRows) {
  for (const DType dtype : kQuantisedDTypes) {
    for (const int64_t rows : {1, 31, 32}) {
      const int64_t columns = 512;
      const std::vector<std::byte> plain = random_rows(dtype, rows, columns);
      const size_t row_bytes = *dtype_row_bytes(dtype, columns);
      std::vector<std::byte> panel(panel_bytes(dtype, columns), std::byte{0xff});
      pack_quant_panel(dtype, plain.data(), rows, columns, panel.data());
      std::vector<float> expected(static_cast<size_t>(columns)), got(expected.size());
      for (int64_t row = 0; row < kPanelRows; ++row) {
        if (row < rows) {
          dequantize_row(dtype, plain.data() + static_cast<size_t>(row) * row_bytes, {0, columns},
                         expected.data());
        } else {
          std::fill(expected.begin(), expected.end(), 0.0f);
        }
        dequantize_panel_row(dtype, panel.data(), row, {0, columns}, got.data());
        ASSERT_EQ(got, expected) << dtype_name(dtype) << " row " << row << " of " << rows;
        std::vector<float> part(64);
        dequantize_panel_row(dtype, panel.data(), row, {288, 64}, part.data());
        ASSERT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + 288));
      }
    }
  }
}

TEST(Quant, PanelsKeepTheSizeThatTheFormatPromises) {
  // Bits a weight: codes, and what the scales take.
  const std::pair<DType, double> expected[] = {
      {DType::kQ8_0, 8.5}, {DType::kQ4_0, 4.5},   {DType::kQ4_1, 5},    {DType::kQ5_0, 8.5},
      {DType::kQ5_1, 9},   {DType::kQ4K, 4.625},  {DType::kQ5K, 8.625}, {DType::kQ6K, 6.5625},
      {DType::kW4, 5},     {DType::kW8, 8.015625}};
  for (const auto& [dtype, bits] : expected)
    EXPECT_EQ(static_cast<double>(panel_bytes(dtype, 2048)) * 8 / (32 * 2048), bits)
        << dtype_name(dtype);
}

TEST(Quant, RowsAreWholeBlocks) {
  EXPECT_EQ(dtype_row_bytes(DType::kQ8_0, 64), 68u);
  EXPECT_EQ(dtype_row_bytes(DType::kQ8_0, 65), std::nullopt);
  EXPECT_EQ(dtype_row_bytes(DType::kQ4K, 128), std::nullopt);
  EXPECT_EQ(dtype_row_bytes(DType::kQ4K, 512), 288u);
  EXPECT_EQ(dtype_row_bytes(DType::kW8, 96), 100u);
  EXPECT_EQ(dtype_row_bytes(DType::kF16, 7), 14u);
  EXPECT_EQ(dtype_row_bytes(DType::kF32, INT64_MAX), std::nullopt);
  EXPECT_EQ(layout_bytes(WeightLayout::kRows32, DType::kQ8_0, 33, 32), 2u * 1088);
  EXPECT_EQ(layout_bytes(WeightLayout::kRows32, DType::kQ8_0, INT64_MAX, 32), std::nullopt);
  EXPECT_EQ(layout_bytes(WeightLayout::kRows32, DType::kW8, 1, INT64_MAX / 32 * 32), std::nullopt);
  EXPECT_EQ(layout_bytes(WeightLayout::kPlain, DType::kQ4_0, 3, 64), 3u * 36);
}

TEST(Quant, OnlyMatricesOfWholeBlocksAreQuantised) {
  EXPECT_TRUE(is_quantised_matrix(DType::kQ8_0, {3, 64}));
  EXPECT_TRUE(is_quantised_matrix(DType::kW4, {0, 0}));
  EXPECT_FALSE(is_quantised_matrix(DType::kF32, {3, 64}));
  EXPECT_FALSE(is_quantised_matrix(DType::kQ8_0, {64}));
  EXPECT_FALSE(is_quantised_matrix(DType::kQ8_0, {1, 3, 64}));
  EXPECT_FALSE(is_quantised_matrix(DType::kQ4K, {3, 64}));
  EXPECT_FALSE(is_quantised_matrix(DType::kQ8_0, {-3, 64}));
  EXPECT_FALSE(is_quantised_matrix(DType::kQ8_0, {3, -64}));
  EXPECT_FALSE(is_quantised_matrix(DType::kQ4_0, {INT64_MAX, INT64_MAX / 32 * 32}));
  // A tensor of one holds its rows one after the other.
  EXPECT_EQ(Tensor(DType::kQ6K, {3, 512}).bytes(), 3u * 420);
}

}  // namespace
}  // namespace legato
