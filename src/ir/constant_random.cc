#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/status.h"
#include "ir/constant.h"
#include "ir/constant_block.h"

namespace legato::ir {
namespace {

/// Numbers are drawn from this many equally likely quantiles of the normal distribution: one hash
/// of a counter gives four of them, and the table stays in the first-level cache.
constexpr size_t kQuantiles = 4096;
constexpr int kLaneBits = 16;
constexpr int kQuantileBits = 12;
constexpr int64_t kLanes = 4;

/// The standard normal quantile at probability p < 1/2, by bisection of the distribution function.
double quantile(double p) {
  double low = -8.0, high = 0.0;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle * std::sqrt(0.5)) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Midpoint quantiles, scaled so that their mean square is one.
const std::array<float, kQuantiles>& normal_table() {
  static const std::array<float, kQuantiles> table = [] {
    std::array<double, kQuantiles> exact;
    double squares = 0;
    for (size_t i = 0; i < kQuantiles / 2; ++i) {
      exact[i] = quantile((static_cast<double>(i) + 0.5) / kQuantiles);
      exact[kQuantiles - 1 - i] = -exact[i];
      squares += 2 * exact[i] * exact[i];
    }
    std::array<float, kQuantiles> scaled;
    for (size_t i = 0; i < kQuantiles; ++i)
      scaled[i] = static_cast<float>(exact[i] / std::sqrt(squares / kQuantiles));
    return scaled;
  }();
  return table;
}

/// Mixes a counter into 64 independent bits; two odd multipliers with xor-shifts between them.
constexpr uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

class RandomConstant : public BlockConstant {
 public:
  RandomConstant(DType dtype, Shape shape, uint64_t seed, float deviation)
      : BlockConstant(dtype, shape), seed_(mix(seed + 0x9e3779b97f4a7c15u)), deviation_(deviation) {
    std::array<float, kQuantiles> scaled = normal_table();
    for (float& value : scaled) value *= deviation;
    table_.resize(kQuantiles * dtype_bytes(dtype));
    convert_elements(DType::kF32, scaled.data(), dtype, table_.data(), kQuantiles);
  }

  void read_block(const Block& block, std::byte* out) const override {
    const size_t width = static_cast<size_t>(block.columns) * dtype_bytes(dtype());
    if (block.columns == row_elements()) {
      fill(block.first_row * row_elements(), block.rows * row_elements(), out);
      return;
    }
    for (int64_t row = 0; row < block.rows; ++row, out += width)
      fill((block.first_row + row) * row_elements() + block.first_column, block.columns, out);
  }

  uint64_t identity() const override {
    const int64_t numbers[] = {static_cast<int64_t>(seed_), static_cast<int64_t>(dtype()),
                               std::bit_cast<int32_t>(deviation_), rows(), row_elements()};
    return derived_identity("random", {}, numbers);
  }

 private:
  /// Elements [first, first + count) in row-major order.
  void fill(int64_t first, int64_t count, std::byte* out) const {
    switch (dtype_bytes(dtype())) {
      case 2:
        return fill_as<uint16_t>(first, count, out);
      case 4:
        return fill_as<uint32_t>(first, count, out);
      default:
        return fill_as<uint64_t>(first, count, out);
    }
  }

  template <typename T>
  void fill_as(int64_t first, int64_t count, std::byte* out) const {
    const T* table = reinterpret_cast<const T*>(table_.data());
    T* target = reinterpret_cast<T*>(out);
    const auto draw = [&](int64_t index) {
      const uint64_t bits = mix(seed_ ^ static_cast<uint64_t>(index / kLanes));
      return table[pick(bits, static_cast<int>(index % kLanes))];
    };
    int64_t i = 0;
    for (; i < count && (first + i) % kLanes != 0; ++i) target[i] = draw(first + i);
    for (; i + kLanes <= count; i += kLanes) {
      const uint64_t bits = mix(seed_ ^ static_cast<uint64_t>((first + i) / kLanes));
      for (int lane = 0; lane < kLanes; ++lane) target[i + lane] = table[pick(bits, lane)];
    }
    for (; i < count; ++i) target[i] = draw(first + i);
  }

  static size_t pick(uint64_t bits, int lane) {
    return (bits >> (lane * kLaneBits)) & ((1u << kQuantileBits) - 1);
  }

  uint64_t seed_;
  float deviation_;
  std::vector<std::byte> table_;  // scaled quantiles in the constant's dtype
};

}  // namespace

ConstantPtr random_normal(DType dtype, Shape shape, uint64_t seed, float deviation) {
  if (!is_float(dtype)) {
    throw Error(Code::kInvalidArgument, "random constant",
                "expected a float type, found " + std::string(dtype_name(dtype)));
  }
  return std::make_shared<RandomConstant>(dtype, shape, seed, deviation);
}

}  // namespace legato::ir
