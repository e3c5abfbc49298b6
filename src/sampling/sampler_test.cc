#include "sampling/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/allocation_counter.h"

namespace legato::sampling {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

SamplingParams greedy() {
  SamplingParams params;
  params.temperature = 0;
  return params;
}

int32_t sample_id(Sampler& sampler, const std::vector<float>& logits) {
  Result<Sample> sample = sampler.sample(logits);
  EXPECT_TRUE(sample.ok()) << sample.status().to_string();
  return sample.ok() ? sample->id : -1;
}

std::vector<float> random_row(size_t vocab, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> row(vocab);
  for (float& logit : row) logit = normal(random);
  return row;
}

TEST(Greedy, TakesTheLargestAndOfEqualOnesTheLowestId) {
  Sampler sampler(greedy(), 5);
  EXPECT_EQ(sample_id(sampler, {1, 3, 2, 3, 3}), 1);
  EXPECT_EQ(sample_id(sampler, {-kInfinity, -kInfinity, -5, -kInfinity, -kInfinity}), 2);
  EXPECT_EQ(sample_id(sampler, {0, 0, 0, 0, 0}), 0);
  for (const size_t vocab : {1u, 15u, 16u, 17u, 100u, 1000u}) {
    Sampler wide(greedy(), static_cast<int64_t>(vocab));
    const std::vector<float> row = random_row(vocab, 1);
    EXPECT_EQ(sample_id(wide, row), std::max_element(row.begin(), row.end()) - row.begin());
  }
}

TEST(Sampler, RowsThatAreNoNumbersAreErrors) {
  for (const double temperature : {0.0, 1.0}) {
    SamplingParams params;
    params.temperature = temperature;
    Sampler sampler(params, 20);
    std::vector<float> row(20, 1.0f);
    for (const size_t at : {0u, 7u, 18u}) {
      row[at] = kNan;
      EXPECT_EQ(sampler.sample(row).status().to_string(), "logits: hold NaN");
      row[at] = kInfinity;
      EXPECT_EQ(sampler.sample(row).status().code, Code::kInternal);
      row[at] = 1;
    }
    EXPECT_EQ(sampler.sample(std::vector<float>(20, -kInfinity)).status().code, Code::kInternal);
    EXPECT_EQ(sampler.num_output(), 0);
  }
}

TEST(Sampler, OnePossibleTokenIsAlwaysChosen) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SamplingParams params;
    params.seed = seed;
    params.temperature = 100;
    Sampler sampler(params, 4);
    EXPECT_EQ(sample_id(sampler, {-kInfinity, -kInfinity, -80, -kInfinity}), 2);
    Sampler single(params, 1);
    EXPECT_EQ(sample_id(single, {3}), 0);
    params.top_k = 4;
    Sampler all_but_one(params, 5);
    EXPECT_EQ(sample_id(all_but_one, {-kInfinity, -kInfinity, -80, -kInfinity, -kInfinity}), 2);
  }
}

TEST(Sampler, SettingsThatLeaveOneTokenEqualGreedy) {
  const std::vector<float> row = random_row(500, 2);
  const auto best = static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SamplingParams k, p, m, t;
    k.top_k = 1;
    p.top_p = 1e-6;
    m.min_p = 1;
    t.temperature = 1e-300;
    for (SamplingParams params : {k, p, m, t}) {
      params.seed = seed;
      Sampler sampler(params, 500);
      EXPECT_EQ(sample_id(sampler, row), best);
    }
  }
}

TEST(Sampler, TopKAboveTheVocabularyIsOff) {
  const std::vector<float> row = random_row(40, 3);
  SamplingParams off, above, equal;
  above.top_k = 1000000;
  equal.top_k = 40;
  Sampler first(off, 40), second(above, 40), third(equal, 40);
  for (int i = 0; i < 200; ++i) {
    const int32_t id = sample_id(first, row);
    EXPECT_EQ(sample_id(second, row), id);
    EXPECT_EQ(sample_id(third, row), id);
  }
}

TEST(Sampler, RepetitionPenaltyCountsEachTokenOnceOverPromptAndOutput) {
  SamplingParams params = greedy();
  params.repetition_penalty = 2;
  Sampler sampler(params, 4);
  sampler.add_prompt(std::vector<int32_t>{1, 1, 1, 3, 99, -4});
  // 8/2 = 4 against 4.5; a negative logit is multiplied.
  EXPECT_EQ(sample_id(sampler, {4.5, 8, -1, -0.5}), 0);
  EXPECT_EQ(sample_id(sampler, {4.5, 8, -1, -0.5}), 1);   // now 2.25 against 4
  EXPECT_EQ(sample_id(sampler, {4.5, 8, -1, -0.5}), 1);   // once, however often it came
  EXPECT_EQ(sample_id(sampler, {-9, -8, -1, -0.75}), 2);  // -1 against -1.5
}

TEST(Sampler, PresenceAndFrequencyCountOutputAlone) {
  SamplingParams presence = greedy(), frequency = greedy();
  presence.presence_penalty = 1;
  frequency.frequency_penalty = 0.5;
  Sampler first(presence, 3), second(frequency, 3);
  const std::vector<float> row = {0, 1.25, 0.5};
  std::vector<int32_t> by_presence, by_frequency;
  for (Sampler* sampler : {&first, &second}) sampler->add_prompt(std::vector<int32_t>{1, 1, 1});
  for (int i = 0; i < 5; ++i) {
    by_presence.push_back(sample_id(first, row));
    by_frequency.push_back(sample_id(second, row));
  }
  // presence: 1.25 | .25 .5 | .25 -.5 ... stays 1; frequency: 1.25, .75, .25/.5, .25/0, -.25/0/0
  EXPECT_EQ(by_presence, (std::vector<int32_t>{1, 2, 1, 1, 1}));
  EXPECT_EQ(by_frequency, (std::vector<int32_t>{1, 1, 2, 1, 0}));
}

TEST(Sampler, BiasComesBeforeTheRepetitionPenalty) {
  SamplingParams params = greedy();
  params.repetition_penalty = 2;
  params.logit_bias = {{0, 3.0}, {0, 1.0}};
  Sampler sampler(params, 2);
  sampler.add_prompt(std::vector<int32_t>{0});
  // (-2 + 4) / 2 = 1; in the other order -2 * 2 + 4 = 0.
  EXPECT_EQ(sample_id(sampler, {-2, 0.5}), 0);
}

TEST(Sampler, StopIdsAreImpossibleBeforeMinTokens) {
  SamplingParams params = greedy();
  params.min_tokens = 2;
  params.stop_ids = {1, 2};
  Sampler sampler(params, 4);
  std::vector<int32_t> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(sample_id(sampler, {0, 9, 8, 0.5}));
  EXPECT_EQ(ids, (std::vector<int32_t>{3, 3, 1}));
  EXPECT_TRUE(sampler.is_stop(2));
  EXPECT_FALSE(sampler.is_stop(3));
}

TEST(Sampler, TruncateRestoresWhatCameBefore) {
  SamplingParams params;
  params.seed = 4;
  params.repetition_penalty = 1.3;
  params.frequency_penalty = 0.4;
  const std::vector<float> row = random_row(30, 5);
  Sampler sampler(params, 30);
  std::vector<int32_t> first, second;
  for (int i = 0; i < 40; ++i) first.push_back(sample_id(sampler, row));
  sampler.truncate(7);
  EXPECT_EQ(sampler.num_output(), 7);
  second.assign(first.begin(), first.begin() + 7);
  for (int i = 7; i < 40; ++i) second.push_back(sample_id(sampler, row));
  EXPECT_EQ(first, second);
}

TEST(Sampler, SameSeedSameTokensOtherSeedOthers) {
  const std::vector<float> row = random_row(1000, 6);
  std::vector<std::vector<int32_t>> runs;
  for (const uint64_t seed : {7u, 7u, 8u}) {
    SamplingParams params;
    params.seed = seed;
    params.top_p = 0.95;
    Sampler sampler(params, 1000);
    runs.emplace_back();
    for (int i = 0; i < 50; ++i) runs.back().push_back(sample_id(sampler, row));
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST(Logprobs, AreThoseOfTheModelAndNotOfTheSettings) {
  SamplingParams params = greedy();
  params.logit_bias = {{3, 50.0}};
  params.num_logprobs = 3;
  Sampler sampler(params, 5);
  const std::vector<float> row = {1, 2, 2, 0, -kInfinity};
  const Sample sample = sampler.sample(row).value();
  const double log_total = std::log(std::exp(1.0) + 2 * std::exp(2.0) + 1);
  EXPECT_EQ(sample.id, 3);
  EXPECT_NEAR(sample.logprob, -log_total, 1e-12);
  ASSERT_EQ(sample.top.size(), 3u);
  EXPECT_EQ(sample.top[0].id, 1);
  EXPECT_EQ(sample.top[1].id, 2);
  EXPECT_EQ(sample.top[2].id, 0);
  EXPECT_NEAR(sample.top[0].logprob, 2 - log_total, 1e-12);
  params.num_logprobs = 100;
  EXPECT_EQ(Sampler(params, 5).sample(row).value().top.size(), 5u);
  params.num_logprobs = 0;
  EXPECT_TRUE(Sampler(params, 5).sample(row).value().top.empty());
}

TEST(Sampler, AllocatesNothingAfterTheFirstCall) {
  if (!support::allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns the heap";
  const int64_t none = support::allocations();
  const std::vector<float> row = random_row(5000, 9);
  EXPECT_GT(support::allocations(), none);
  SamplingParams full, top_k, top_p, penalties = greedy();
  top_k.top_k = 40;
  top_p.top_p = 0.9;
  top_p.num_logprobs = 0;
  penalties.repetition_penalty = 1.2;
  penalties.presence_penalty = 0.3;
  for (const SamplingParams& params : {full, top_k, top_p, penalties, greedy()}) {
    Sampler sampler(params, 5000);
    sampler.prepare(2000);
    sample_id(sampler, row);
    const int64_t before = support::allocations();
    for (int i = 0; i < 1500; ++i) (void)sampler.sample(row);
    EXPECT_EQ(support::allocations(), before);
  }
}

}  // namespace
}  // namespace legato::sampling
