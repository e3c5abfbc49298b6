#include "cli/statistics.h"

#include <gtest/gtest.h>

namespace legato::cli {
namespace {

TEST(Statistics, QuantileInterpolatesBetweenNeighbours) {
  const std::vector<double> samples{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(samples, 0.0), 1);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(samples, 1.0), 4);
  EXPECT_DOUBLE_EQ(median({7}), 7);
}

TEST(Statistics, ALineIsFoundAgainWithR2OfOne) {
  const std::vector<double> x{0, 1, 2, 5};
  const std::vector<double> y{3, 5, 7, 13};
  const LineFit fit = fit_line(x, y);
  EXPECT_NEAR(fit.a, 3, 1e-12);
  EXPECT_NEAR(fit.b, 2, 1e-12);
  EXPECT_NEAR(fit.r2, 1, 1e-12);
}

TEST(Statistics, NoiseLowersR2) {
  const std::vector<double> x{0, 1, 2, 3};
  const std::vector<double> y{1, -1, 1, -1};
  EXPECT_LT(fit_line(x, y).r2, 0.5);
}

}  // namespace
}  // namespace legato::cli
