#include "ir/constant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/status.h"
#include "tensor/half.h"
#include "tensor/quant_format.h"

namespace legato::ir {
namespace {

Tensor counting(DType dtype, Shape shape) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < shape.elements(); ++i)
    store_element(dtype, tensor.raw().data(), i, static_cast<double>(i % 251) - 100);
  return tensor;
}

double element(const Tensor& tensor, int64_t index) {
  return load_element(tensor.dtype(), tensor.raw().data(), index);
}

/// Reads a constant in pieces of `rows` rows.
Tensor read_in_pieces(const Constant& constant, int64_t rows) {
  Tensor tensor(constant.dtype(), constant.shape());
  for (int64_t row = 0; row < constant.rows(); row += rows)
    constant.read_rows(row, std::min(rows, constant.rows() - row),
                       tensor.raw().data() + static_cast<size_t>(row) * constant.row_bytes());
  return tensor;
}

void expect_same_in_any_pieces(const ConstantPtr& constant) {
  const Tensor whole = constant->load();
  for (const int64_t rows : {1, 3, 32, 1000}) {
    const Tensor pieces = read_in_pieces(*constant, rows);
    ASSERT_EQ(std::memcmp(whole.raw().data(), pieces.raw().data(), whole.bytes()), 0) << rows;
  }
}

TEST(Constant, TransposedSwapsIndicesForEverySourceAndWidth) {
  for (const DType dtype : {DType::kI8, DType::kF16, DType::kF32, DType::kF64}) {
    const Tensor matrix = counting(dtype, {70, 45});
    const ConstantPtr direct = constant_from_tensor(matrix);
    std::vector<int64_t> all(70);
    std::iota(all.begin(), all.end(), 0);
    for (const ConstantPtr& source : {direct, gathered_rows(direct, all)}) {
      const ConstantPtr turned = transposed(source);
      ASSERT_EQ(turned->shape(), (Shape{45, 70}));
      const Tensor result = turned->load();
      for (int64_t r = 0; r < 70; ++r)
        for (int64_t c = 0; c < 45; ++c)
          ASSERT_EQ(element(result, c * 70 + r), element(matrix, r * 45 + c));
      expect_same_in_any_pieces(turned);
    }
  }
}

TEST(Constant, TransposedOfALargeMatrixSpansManyChunks) {
  const ConstantPtr source = random_normal(DType::kF32, {1500, 700}, 3, 1.0f);
  const Tensor plain = source->load();
  const ConstantPtr turned = transposed(source);
  const Tensor result = read_in_pieces(*turned, 37);
  for (int64_t r = 0; r < 1500; r += 7)
    for (int64_t c = 0; c < 700; ++c)
      ASSERT_EQ(element(result, c * 1500 + r), element(plain, r * 700 + c));
}

TEST(Constant, ConcatenatedJoinsRowsOfAllParts) {
  const ConstantPtr joined = concatenated({constant_from_tensor(counting(DType::kF32, {3, 5})),
                                           constant_from_tensor(counting(DType::kF32, {0, 5})),
                                           constant_from_tensor(counting(DType::kF32, {4, 5}))});
  ASSERT_EQ(joined->shape(), (Shape{7, 5}));
  EXPECT_EQ(element(joined->load(), 3 * 5), -100);
  EXPECT_EQ(element(joined->load(), 6 * 5 + 4), -100 + 19);
  expect_same_in_any_pieces(joined);
  EXPECT_THROW(concatenated({constant_from_tensor(Tensor(DType::kF32, {3, 5})),
                             constant_from_tensor(Tensor(DType::kF32, {3, 4}))}),
               Error);
  EXPECT_THROW(concatenated({constant_from_tensor(Tensor(DType::kF32, {3, 5})),
                             constant_from_tensor(Tensor(DType::kF16, {3, 5}))}),
               Error);
}

TEST(Constant, GatheredRowsFollowTheOrderAndFillZeros) {
  const ConstantPtr source = constant_from_tensor(counting(DType::kF16, {6, 4}));
  const ConstantPtr gathered = gathered_rows(source, {5, 0, 1, 2, -1, -1, 4, 4});
  ASSERT_EQ(gathered->shape(), (Shape{8, 4}));
  const Tensor result = gathered->load();
  EXPECT_EQ(element(result, 0), -80);
  EXPECT_EQ(element(result, 3 * 4), -92);
  EXPECT_EQ(element(result, 5 * 4 + 3), 0);
  EXPECT_EQ(element(result, 7 * 4 + 1), -83);
  expect_same_in_any_pieces(gathered);
  EXPECT_THROW(gathered_rows(source, {6}), Error);
  EXPECT_THROW(gathered_rows(source, {-2}), Error);
}

TEST(Constant, CastHasTheBitsOfTheScalarConversions) {
  Tensor values(DType::kF32, {40, 33});
  for (int64_t i = 0; i < values.shape().elements(); ++i)
    values.data<float>()[i] =
        std::ldexp(1.0f + static_cast<float>(i) * 3e-4f, static_cast<int>(i % 60) - 40);
  values.data<float>()[5] = std::numeric_limits<float>::infinity();
  values.data<float>()[6] = std::numeric_limits<float>::quiet_NaN();
  const ConstantPtr source = constant_from_tensor(values);
  const Tensor half = cast(source, DType::kF16)->load();
  const Tensor brain = cast(source, DType::kBF16)->load();
  const Tensor back = cast(cast(source, DType::kF16), DType::kF32)->load();
  const Tensor crossed = cast(cast(source, DType::kF16), DType::kBF16)->load();
  for (int64_t i = 0; i < values.shape().elements(); ++i) {
    const uint16_t f16 = f32_to_f16(values.data<float>()[i]);
    ASSERT_EQ(half.data<uint16_t>()[i], f16);
    ASSERT_EQ(brain.data<uint16_t>()[i], f32_to_bf16(values.data<float>()[i]));
    ASSERT_EQ(back.data<uint32_t>()[i], std::bit_cast<uint32_t>(f16_to_f32(f16)));
    ASSERT_EQ(crossed.data<uint16_t>()[i], f32_to_bf16(f16_to_f32(f16)));
  }
  expect_same_in_any_pieces(cast(source, DType::kF64));
  EXPECT_EQ(cast(source, DType::kF32), source);
}

TEST(Constant, ReshapedKeepsTheOrderOfElements) {
  const Tensor tensor = counting(DType::kI32, {6, 8});
  const ConstantPtr source = constant_from_tensor(tensor);
  for (const Shape& shape : {Shape{48}, Shape{3, 16}, Shape{12, 4}, Shape{1, 6, 8}, Shape{16, 3}}) {
    const ConstantPtr other = reshaped(source, shape);
    const Tensor result = other->load();
    ASSERT_EQ(std::memcmp(result.raw().data(), tensor.raw().data(), tensor.bytes()), 0);
    expect_same_in_any_pieces(other);
  }
  EXPECT_THROW(reshaped(source, Shape{7, 7}), Error);
}

TEST(Constant, RandomIsNormalAndEachRowStandsAlone) {
  const ConstantPtr constant = random_normal(DType::kF32, {1001, 333}, 7, 0.5f);
  const Tensor values = constant->load();
  const int64_t count = values.shape().elements();
  double sum = 0, squares = 0, neighbours = 0;
  int64_t beyond_two = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = values.data<float>()[i];
    sum += value;
    squares += value * value;
    beyond_two += std::abs(value) > 1.0 ? 1 : 0;
    if (i > 0) neighbours += value * values.data<float>()[i - 1];
  }
  const double n = static_cast<double>(count);
  // Four standard errors of each statistic.
  EXPECT_NEAR(sum / n, 0.0, 4 * 0.5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 0.25, 4 * 0.25 * std::sqrt(2 / n));
  EXPECT_NEAR(neighbours / n, 0.0, 4 * 0.25 / std::sqrt(n));
  EXPECT_NEAR(static_cast<double>(beyond_two) / n, 0.0455, 4 * std::sqrt(0.0455 / n));
  expect_same_in_any_pieces(constant);
  expect_same_in_any_pieces(random_normal(DType::kBF16, {77, 31}, 7, 0.5f));
}

TEST(Constant, RandomOfAHalfTypeIsTheRoundedFloatOne) {
  const Tensor wide = random_normal(DType::kF32, {9, 13}, 1, 0.02f)->load();
  const Tensor half = random_normal(DType::kF16, {9, 13}, 1, 0.02f)->load();
  for (int64_t i = 0; i < wide.shape().elements(); ++i)
    ASSERT_EQ(half.data<uint16_t>()[i], f32_to_f16(wide.data<float>()[i]));
  const Tensor other = random_normal(DType::kF32, {9, 13}, 2, 0.02f)->load();
  EXPECT_NE(std::memcmp(wide.raw().data(), other.raw().data(), wide.bytes()), 0);
}

TEST(Constant, IdentityTellsEqualSourcesFromOthers) {
  const Tensor tensor = counting(DType::kF32, {8, 8});
  const ConstantPtr a = constant_from_tensor(tensor), b = constant_from_tensor(tensor);
  const ConstantPtr c = constant_from_tensor(counting(DType::kF32, {8, 8}));
  EXPECT_NE(a->identity(), 0u);
  EXPECT_EQ(a->identity(), b->identity());
  EXPECT_NE(a->identity(), c->identity());
  EXPECT_EQ(transposed(a)->identity(), transposed(b)->identity());
  EXPECT_NE(transposed(a)->identity(), a->identity());
  EXPECT_EQ(cast(a, DType::kF16)->identity(), cast(b, DType::kF16)->identity());
  EXPECT_NE(cast(a, DType::kF16)->identity(), cast(a, DType::kBF16)->identity());
  EXPECT_NE(gathered_rows(a, {0, 1})->identity(), gathered_rows(a, {1, 0})->identity());
  EXPECT_EQ(random_normal(DType::kF16, {4, 4}, 1, 1.0f)->identity(),
            random_normal(DType::kF16, {4, 4}, 1, 1.0f)->identity());
  EXPECT_NE(random_normal(DType::kF16, {4, 4}, 1, 1.0f)->identity(),
            random_normal(DType::kF16, {4, 4}, 2, 1.0f)->identity());
}

TEST(Constant, EmptyAndScalarConstantsAreRead) {
  EXPECT_EQ(constant_from_tensor(Tensor(DType::kF32, {0, 4}))->load().bytes(), 0u);
  EXPECT_EQ(transposed(constant_from_tensor(Tensor(DType::kF32, {0, 4})))->load().bytes(), 0u);
  const ConstantPtr scalar = constant_from_tensor(counting(DType::kI64, Shape{}));
  EXPECT_EQ(scalar->rows(), 1);
  EXPECT_EQ(element(scalar->load(), 0), -100);
}

/// Rows of q8_0 whose codes count up and whose scales are powers of two.
ConstantPtr q8_0_matrix(int64_t rows, int64_t columns) {
  Tensor tensor(DType::kQ8_0, {rows, columns});
  std::byte* at = tensor.raw().data();
  for (int64_t block = 0; block < rows * columns / 32; ++block, at += 34) {
    const uint16_t scale = f32_to_f16(std::ldexp(1.0f, static_cast<int>(block % 5) - 2));
    std::memcpy(at, &scale, sizeof scale);
    for (int64_t i = 0; i < 32; ++i)
      at[2 + i] = static_cast<std::byte>((block * 37 + i * 5) & 0xff);
  }
  return constant_from_tensor(std::move(tensor));
}

TEST(Constant, QuantisedMatrixCastsToWhatItStandsFor) {
  const ConstantPtr matrix = q8_0_matrix(70, 64);
  const ConstantPtr wide = cast(matrix, DType::kF32);
  expect_same_in_any_pieces(wide);
  const Tensor stored = matrix->load();
  const Tensor numbers = wide->load();
  std::vector<float> row(64);
  for (int64_t r = 0; r < 70; ++r) {
    dequantize_row(DType::kQ8_0, stored.raw().data() + r * 68, 64, row.data());
    ASSERT_EQ(std::memcmp(row.data(), numbers.data<float>() + r * 64, 64 * sizeof(float)), 0);
  }
  for (const DType dtype : {DType::kF16, DType::kBF16})
    EXPECT_EQ(std::memcmp(cast(matrix, dtype)->load().raw().data(),
                          cast(wide, dtype)->load().raw().data(), size_t{70} * 64 * 2),
              0);
  EXPECT_NE(wide->identity(), 0u);
  EXPECT_EQ(wide->identity(), cast(matrix, DType::kF32)->identity());
  EXPECT_NE(wide->identity(), matrix->identity());
}

TEST(Constant, QuantisedRowsAreGatheredAndJoined) {
  const ConstantPtr matrix = q8_0_matrix(6, 32);
  const ConstantPtr picked = gathered_rows(concatenated({matrix, matrix}), {7, -1, 0});
  expect_same_in_any_pieces(picked);
  const Tensor numbers = cast(picked, DType::kF32)->load();
  const Tensor source = cast(matrix, DType::kF32)->load();
  for (int64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(element(numbers, i), element(source, 32 + i));
    EXPECT_EQ(element(numbers, 32 + i), 0);
    EXPECT_EQ(element(numbers, 64 + i), element(source, i));
  }
}

TEST(Constant, QuantisedMatrixKeepsItsShape) {
  const ConstantPtr matrix = q8_0_matrix(64, 32);
  const auto message = [](const auto& attempt) {
    return catch_error([&] { attempt(); }).to_string();
  };
  EXPECT_EQ(message([&] { transposed(matrix); }),
            "transposed constant: is q8_0, expected numbers that are not quantised");
  EXPECT_EQ(message([&] {
              reshaped(matrix, {32, 64});
            }),
            "reshaped constant: is q8_0, expected numbers that are not quantised");
  EXPECT_EQ(message([&] { cast(cast(matrix, DType::kF32), DType::kW8); }),
            "cast constant: expected a plain type to cast to, found w8");
  const std::vector<std::byte> bytes(64);
  EXPECT_EQ(message([&] {
              constant_from_bytes(DType::kQ4_0, {2, 33}, bytes, nullptr);
            }),
            "constant of q4_0: is [2, 33], expected a matrix whose columns are a multiple of 32");
  EXPECT_EQ(message([&] { constant_from_bytes(DType::kQ4K, {32}, bytes, nullptr); }),
            "constant of q4_k: is [32], expected a matrix whose columns are a multiple of 256");
}

}  // namespace
}  // namespace legato::ir
