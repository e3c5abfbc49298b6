// Frequencies of drawn tokens against exact probabilities, which a plain sort computes here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sampling/sampler.h"

namespace legato::sampling {
namespace {

/// The definition, step by step: temperature, top-k, top-p, min-p, each on what the one before
/// left.
std::vector<double> exact(const std::vector<float>& logits, const SamplingParams& params) {
  const size_t vocab = logits.size();
  std::vector<size_t> order(vocab);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  std::vector<double> p(vocab);
  for (size_t i = 0; i < vocab; ++i)
    p[i] = std::exp((logits[i] - logits[order[0]]) / params.temperature);
  const auto normalise = [&p] {
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= total;
  };
  if (params.top_k > 0)
    for (auto i = static_cast<size_t>(params.top_k); i < vocab; ++i) p[order[i]] = 0;
  normalise();
  double sum = 0;
  for (const size_t id : order) {
    if (sum >= params.top_p) p[id] = 0;
    sum += p[id];
  }
  const double best = p[order[0]];
  for (double& value : p) value = value < params.min_p * best ? 0 : value;
  normalise();
  return p;
}

/// Wilson and Hilferty's approximation of the chi-square quantile at 4 deviations (p = 3e-5).
double chi_square_limit(double degrees) {
  const double h = 2.0 / (9.0 * degrees);
  return degrees * std::pow(1 - h + 4.0 * std::sqrt(h), 3);
}

void expect_frequencies(const std::vector<float>& logits, SamplingParams params) {
  constexpr int kDraws = 15000;
  const std::vector<double> expected = exact(logits, params);
  params.seed = 11;
  Sampler sampler(params, static_cast<int64_t>(logits.size()));
  std::vector<int> counts(logits.size(), 0);
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<size_t>(sampler.sample(logits).value().id)];
  double chi_square = 0, rest_expected = 0;
  int cells = 0, rest = 0;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (expected[id] == 0) {
      EXPECT_EQ(counts[id], 0) << id;
    } else if (expected[id] * kDraws < 8) {
      rest_expected += expected[id] * kDraws;
      rest += counts[id];
    } else {
      const double mean = expected[id] * kDraws;
      chi_square += (counts[id] - mean) * (counts[id] - mean) / mean;
      ++cells;
    }
  }
  if (rest_expected > 8) {
    chi_square += (rest - rest_expected) * (rest - rest_expected) / rest_expected;
    ++cells;
  }
  if (cells > 1) {
    EXPECT_LT(chi_square, chi_square_limit(cells - 1)) << cells;
  }
}

TEST(Distribution, MatchesExactProbabilities) {
  std::mt19937 random(3);
  for (const size_t vocab : {2u, 10u, 300u}) {
    std::normal_distribution<float> normal(0, 1.5);
    std::vector<float> logits(vocab);
    for (float& logit : logits) logit = normal(random);
    logits[vocab / 2] = logits[0];  // a tie
    for (const double temperature : {0.5, 1.0, 1.7}) {
      for (const int64_t top_k : {0, 1, 2, 7}) {
        for (const double top_p : {0.3, 0.8, 1.0}) {
          for (const double min_p : {0.0, 0.1}) {
            SamplingParams params;
            params.temperature = temperature;
            params.top_k = std::min<int64_t>(top_k, static_cast<int64_t>(vocab));
            params.top_p = top_p;
            params.min_p = min_p;
            expect_frequencies(logits, params);
          }
        }
      }
    }
  }
}

TEST(Distribution, TopPOverManyEqualTokensKeepsTheLowestIds) {
  SamplingParams params;
  params.top_p = 0.25;
  Sampler sampler(params, 2000);
  const std::vector<float> flat(2000, 1.0f);
  int32_t highest = 0;
  for (int i = 0; i < 20000; ++i) highest = std::max(highest, sampler.sample(flat).value().id);
  EXPECT_GT(highest, 490);
  EXPECT_LT(highest, 500);
}

}  // namespace
}  // namespace legato::sampling
