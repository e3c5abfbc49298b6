#include "sampling/random.h"

#include <gtest/gtest.h>

#include <array>

namespace legato::sampling {
namespace {

/// 99.99 % quantile of chi-square with 99 degrees of freedom is 161.3.
constexpr double kLimit99 = 161.3;

TEST(Uniform, DependsOnSeedAndIndexAlone) {
  EXPECT_EQ(uniform(1, 5), uniform(1, 5));
  EXPECT_NE(uniform(1, 5), uniform(1, 6));
  EXPECT_NE(uniform(1, 5), uniform(2, 5));
  EXPECT_NE(uniform(0, 1), uniform(1, 0));
}

TEST(Uniform, FillsTheIntervalEvenlyAlongIndicesAndAlongSeeds) {
  for (const bool along_seeds : {false, true}) {
    constexpr int kDraws = 200000;
    std::array<int, 100> counts{};
    for (uint64_t i = 0; i < kDraws; ++i) {
      const double u = along_seeds ? uniform(i, 3) : uniform(3, i);
      ASSERT_GE(u, 0.0);
      ASSERT_LT(u, 1.0);
      ++counts[static_cast<size_t>(u * 100)];
    }
    double chi_square = 0;
    for (const int count : counts)
      chi_square += (count - kDraws / 100.0) * (count - kDraws / 100.0) / (kDraws / 100.0);
    EXPECT_LT(chi_square, kLimit99);
  }
}

TEST(Uniform, NeighboursAreNotCorrelated) {
  constexpr int kDraws = 100000;
  for (const auto& [seed_step, index_step] : {std::pair{0, 1}, {1, 0}, {1, 1}}) {
    double product = 0;
    for (uint64_t i = 0; i < kDraws; ++i) {
      const uint64_t seed = i / 300, index = i % 300;
      product +=
          (uniform(seed, index) - 0.5) * (uniform(seed + static_cast<uint64_t>(seed_step),
                                                  index + static_cast<uint64_t>(index_step)) -
                                          0.5);
    }
    // The mean of such products has the deviation 1 / (12 * sqrt(draws)) = 2.6e-4.
    EXPECT_LT(std::abs(product / kDraws), 5 * 2.6e-4);
  }
}

}  // namespace
}  // namespace legato::sampling
