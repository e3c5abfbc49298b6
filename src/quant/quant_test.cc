#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "base/status.h"
#include "quant/quantised.h"
#include "quant/w4_row.h"
#include "quant/w8_row.h"
#include "tensor/half.h"
#include "tensor/quant_format.h"

namespace legato::quant {
namespace {

std::vector<float> normal_row(int64_t columns, unsigned seed, float deviation = 0.02f) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw(0, deviation);
  std::vector<float> row(static_cast<size_t>(columns));
  for (float& x : row) x = draw(random);
  return row;
}

std::vector<std::byte> quantised_row(DType dtype, const std::vector<float>& row) {
  const auto columns = static_cast<int64_t>(row.size());
  std::vector<std::byte> bytes(*dtype_row_bytes(dtype, columns));
  dtype == DType::kW8 ? quantise_w8_row(row.data(), columns, bytes.data())
                      : quantise_w4_row(row.data(), columns, bytes.data());
  return bytes;
}

std::vector<float> round_trip(DType dtype, const std::vector<float>& row) {
  std::vector<float> back(row.size());
  dequantize_row(dtype, quantised_row(dtype, row).data(), static_cast<int64_t>(row.size()),
                 back.data());
  return back;
}

double squared_error(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return sum;
}

/// Scale = range / 15 and minimum = least number of each group, as halves.
std::vector<float> plainly_rounded(const std::vector<float>& row) {
  std::vector<float> back;
  for (size_t begin = 0; begin < row.size(); begin += 32) {
    const auto [low, high] = std::minmax_element(row.begin() + static_cast<int64_t>(begin),
                                                 row.begin() + static_cast<int64_t>(begin) + 32);
    const float scale = f16_to_f32(f32_to_f16((*high - *low) / 15));
    const float minimum = f16_to_f32(f32_to_f16(*low));
    for (size_t i = begin; i < begin + 32; ++i) {
      const float code = scale > 0 ? std::round((row[i] - minimum) / scale) : 0;
      back.push_back(scale * std::clamp(code, 0.0f, 15.0f) + minimum);
    }
  }
  return back;
}

TEST(W8, ErrorIsHalfAScaleAtMost) {
  for (const float deviation : {1e-30f, 1e-4f, 0.02f, 1.0f, 1000.0f}) {
    const std::vector<float> row = normal_row(96, 3, deviation);
    const std::vector<float> back = round_trip(DType::kW8, row);
    float largest = 0;
    for (const float x : row) largest = std::max(largest, std::fabs(x));
    const float scale = largest / 127;
    for (size_t i = 0; i < row.size(); ++i)
      EXPECT_LE(std::fabs(row[i] - back[i]), scale / 2 * 1.0001f) << deviation;
    // The largest number is a code of its own.
    EXPECT_NEAR(*std::max_element(back.begin(), back.end(),
                                  [](float a, float b) { return std::fabs(a) < std::fabs(b); }),
                *std::max_element(row.begin(), row.end(),
                                  [](float a, float b) { return std::fabs(a) < std::fabs(b); }),
                largest * 1e-6f);
  }
}

TEST(W8, RowsOfZerosAndTinyNumbersAreZero) {
  for (const float x : {0.0f, 1e-40f})
    EXPECT_EQ(round_trip(DType::kW8, std::vector<float>(32, x)), std::vector<float>(32, 0.0f));
}

TEST(W4, ErrorIsNeverAboveThePlainOne) {
  double searched = 0, plain = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<float> row = normal_row(32, seed);
    const double error = squared_error(row, round_trip(DType::kW4, row));
    const double plain_error = squared_error(row, plainly_rounded(row));
    EXPECT_LE(error, plain_error * 1.000001) << seed;
    searched += error;
    plain += plain_error;
  }
  EXPECT_LT(searched, 0.85 * plain);
}

TEST(W4, EquallySpacedNumbersAreKept) {
  std::vector<float> row;
  for (int i = 0; i < 64; ++i) row.push_back(-0.75f + 0.125f * static_cast<float>(i * 7 % 16));
  EXPECT_EQ(round_trip(DType::kW4, row), row);
}

TEST(W4, EveryNumberIsWithinHalfAScaleOrBeyondTheEnds) {
  const std::vector<float> row = normal_row(512, 11);
  const std::vector<std::byte> bytes = quantised_row(DType::kW4, row);
  for (int64_t group = 0; group < 16; ++group) {
    const QuantGroup read = read_quant_group(DType::kW4, bytes.data(), group);
    const float scale = f16_to_f32(read.scale), minimum = f16_to_f32(read.minimum);
    for (int64_t i = 0; i < 32; ++i) {
      const float x = row[static_cast<size_t>(group * 32 + i)];
      const float off = x - (scale * read.codes[i] + minimum);
      const bool clipped = (read.codes[i] == 0 && off < 0) || (read.codes[i] == 15 && off > 0);
      EXPECT_TRUE(clipped || std::fabs(off) <= scale / 2 * 1.0001f);
    }
  }
}

TEST(W4, ConstantTinyAndLargeGroupsAreFinite) {
  for (const float x : {0.0f, 1.0f, -0.5f, 1e-7f, 1e-20f, 65504.0f, -65504.0f}) {
    const std::vector<float> back = round_trip(DType::kW4, std::vector<float>(32, x));
    for (const float y : back) EXPECT_NEAR(y, x, std::fabs(x) * 0x1p-11f + 0x1p-25f);
  }
  std::vector<float> wide = normal_row(32, 5, 20000);
  for (float& x : wide) x = std::clamp(x, -65504.0f, 65504.0f);
  wide[3] = 65504;
  wide[4] = -65504;
  for (const float y : round_trip(DType::kW4, wide)) EXPECT_TRUE(std::isfinite(y));
}

TEST(W4, EveryInstructionLevelGivesTheSameBits) {
  const std::vector<float> row = normal_row(640, 31);
  const std::vector<std::byte> expected = quantised_row(DType::kW4, row);
  for (const QuantiseW4Row quantise : w4_row_levels()) {
    std::vector<std::byte> bytes(expected.size());
    quantise(row.data(), 640, bytes.data());
    EXPECT_EQ(bytes, expected);
  }
}

TEST(W4, GroupsAreSearchedEachByItself) {
  // 20 groups: more than are searched side by side.
  const std::vector<float> row = normal_row(640, 21);
  const std::vector<std::byte> whole = quantised_row(DType::kW4, row);
  for (size_t group = 0; group < 20; ++group) {
    const auto begin = row.begin() + static_cast<int64_t>(group * 32);
    const std::vector<std::byte> alone = quantised_row(DType::kW4, {begin, begin + 32});
    EXPECT_EQ(std::memcmp(alone.data(), whole.data() + group * 20, 20), 0) << group;
  }
}

TEST(Quantised, ReadsTheSameInAnyPieces) {
  const ir::ConstantPtr source = ir::random_normal(DType::kF16, {70, 96}, 5, 0.02f);
  for (const DType dtype : {DType::kW8, DType::kW4}) {
    const ir::ConstantPtr matrix = quantised(source, dtype, "w");
    const Tensor whole = matrix->load();
    for (const int64_t rows : {1, 7, 64}) {
      Tensor pieces(dtype, matrix->shape());
      for (int64_t row = 0; row < 70; row += rows)
        matrix->read_rows(row, std::min<int64_t>(rows, 70 - row),
                          pieces.raw().data() + static_cast<size_t>(row) * matrix->row_bytes());
      EXPECT_EQ(std::memcmp(whole.raw().data(), pieces.raw().data(), whole.bytes()), 0) << rows;
    }
    EXPECT_NE(matrix->identity(), 0u);
    EXPECT_EQ(matrix->identity(), quantised(source, dtype, "other")->identity());
  }
  EXPECT_NE(quantised(source, DType::kW8, "w")->identity(),
            quantised(source, DType::kW4, "w")->identity());
}

TEST(Quantised, BlocksOfQ41BecomeW4AsTheyAre) {
  Tensor tensor(DType::kQ4_1, {2, 64});
  for (size_t i = 0; i < tensor.bytes(); ++i) tensor.raw()[i] = static_cast<std::byte>(i * 11);
  const Tensor same = quantised(ir::constant_from_tensor(tensor), DType::kW4, "w")->load();
  EXPECT_EQ(std::memcmp(tensor.raw().data(), same.raw().data(), tensor.bytes()), 0);
}

TEST(Quantised, RefusesByName) {
  const auto message = [](const auto& attempt) { return catch_error(attempt).to_string(); };
  const auto matrix = [](Shape shape) { return ir::random_normal(DType::kF32, shape, 1, 1); };
  EXPECT_EQ(message([&] {
              quantised(matrix({4, 48}), DType::kW8, "blk.w");
            }),
            "blk.w: has 48 columns, expected a multiple of 32, the block of w8");
  EXPECT_EQ(message([&] { quantised(matrix({64}), DType::kW4, "norm"); }),
            "norm: is [64], expected a matrix to quantise to w4");
  EXPECT_EQ(message([&] {
              quantised(matrix({4, 32}), DType::kQ8_0, "w");
            }),
            "w: cannot be quantised to q8_0, expected w8 or w4");
  for (const auto& [number, found] :
       {std::pair{NAN, "a NaN"}, {INFINITY, "inf"}, {-70000.0f, "70000"}}) {
    Tensor tensor(DType::kF32, {3, 32});
    tensor.data<float>()[40] = number;
    const ir::ConstantPtr bad = quantised(ir::constant_from_tensor(tensor), DType::kW4, "w");
    EXPECT_EQ(message([&] { bad->load(); }),
              std::string("w: row 1 holds ") + found +
                  ", expected numbers up to 65504 to quantise to w4");
  }
}

}  // namespace
}  // namespace legato::quant
