#include "cli/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cli/likelihood.h"
#include "cli/tolerance.h"

namespace legato::cli {
namespace {

TEST(Compare, IsRelativeToTheLargestExpectedValue) {
  const std::vector<float> values{1.0f, -4.5f};
  const std::vector<float> expected{1.0f, -4.0f};
  EXPECT_DOUBLE_EQ(compare(values, expected).max_abs, 0.5);
  EXPECT_DOUBLE_EQ(compare(values, expected).max_rel, 0.125);
}

TEST(Compare, NanInfinityAndWrongSizesNeverPass) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> one{1.0f};
  for (const std::vector<float>& bad : {std::vector{nan}, {infinity}, {1.0f, 1.0f}, {}}) {
    EXPECT_TRUE(std::isinf(compare(bad, one).max_rel));
    EXPECT_TRUE(std::isinf(compare(one, bad).max_rel));
  }
  EXPECT_TRUE(std::isinf(compare(std::vector{nan}, std::vector{nan}).max_rel));
}

TEST(Compare, AnyDifferenceFromAllZerosIsInfinite) {
  EXPECT_TRUE(std::isinf(compare(std::vector{1e-9f}, std::vector{0.0f}).max_rel));
  EXPECT_EQ(compare(std::vector{0.0f}, std::vector{0.0f}).max_rel, 0);
}

TEST(Tolerance, FollowsTheCoarserOfWeightsAndCache) {
  EngineInfo info;
  info.precision = "fp32";
  info.longest_reduction = 256;
  EXPECT_DOUBLE_EQ(default_tolerance(info, DataType::kF32, 10).relative, 1e-4);
  EXPECT_DOUBLE_EQ(default_tolerance(info, DataType::kF32, 10).min_margin, 1e-3);
  const double half = default_tolerance(info, DataType::kF16, 10).relative;
  EXPECT_DOUBLE_EQ(half, 1e-4 + 16.0 / 2048);
  info.precision = "bf16";
  EXPECT_DOUBLE_EQ(default_tolerance(info, DataType::kF16, 10).relative, 1e-4 + 16.0 / 256);
  for (const auto& [precision, codes] : {std::pair{"w8", 256},
                                         {"w4", 16},
                                         {"q8_0", 256},
                                         {"q6_k", 64},
                                         {"q5_1", 32},
                                         {"q4_k", 16}}) {
    info.precision = precision;
    EXPECT_DOUBLE_EQ(default_tolerance(info, DataType::kF16, 10).relative, 1e-4 + 16.0 / codes)
        << precision;
  }
}

TEST(Tolerance, LayersAddUpLikeARandomWalk) {
  EngineInfo info;
  info.precision = "bf16";
  info.longest_reduction = 256;
  info.kv_layers = 9;
  EXPECT_DOUBLE_EQ(default_tolerance(info, DataType::kBF16, 10).relative,
                   1e-4 + (16.0 + 4 * 3) / 256);
  info.precision = "fp32";
  EXPECT_DOUBLE_EQ(default_tolerance(info, DataType::kF32, 10).relative, 1e-4);
}

TEST(NegativeLogLikelihood, IsLogOfTheCountForEqualLogitsHoweverLarge) {
  EXPECT_NEAR(negative_log_likelihood(std::vector<float>(8, 1e4f), 3), std::log(8.0), 1e-12);
  EXPECT_NEAR(negative_log_likelihood(std::vector<float>{0.0f, 1000.0f}, 0), 1000.0, 1e-9);
}

}  // namespace
}  // namespace legato::cli
