// A cache that came from a prefix hit, a fork, a truncation or a file serves like one that was
// computed in one go.

#include <gtest/gtest.h>

#include "tests/conformance/invariants/trace.h"

namespace legato::invariants {
namespace {

class History : public ::testing::TestWithParam<Variant> {
 protected:
  History() : engine_(build_engine(GetParam())), runner_(engine_, GetParam().kv, {2}) {}

  std::shared_ptr<const engine::Engine> engine_;
  Runner runner_;
};

/// `shared` tokens of one trace, then others.
std::vector<int32_t> branch(const Runner& runner, const Trace& trace, size_t shared, size_t others,
                            uint32_t seed) {
  std::vector<int32_t> tokens(trace.tokens.begin(),
                              trace.tokens.begin() + static_cast<int64_t>(shared));
  const std::vector<int32_t> rest = random_prompt(runner, others, seed);
  tokens.insert(tokens.end(), rest.begin(), rest.end());
  return tokens;
}

TEST_P(History, PrefixHitsChangeNoBit) {
  const Trace trace = trace_alone(runner_, random_prompt(runner_, 85, 1), 8);
  const Trace other = trace_alone(runner_, branch(runner_, trace, 50, 30, 2), 4);
  for (int round = 0; round < 3; ++round) {
    for (const Trace* each : {&trace, &other}) {
      kvcache::SequenceCache cache = runner_.indexed_sequence();
      const int64_t hit = cache.adopt_prefix(each->tokens);
      EXPECT_EQ(hit, round > 0 ? 64 : each == &trace ? 0 : 32);
      ASSERT_TRUE(replay(runner_, cache, *each, each->size(), round == 1 ? 1 : 40)) << round;
    }
  }
  EXPECT_EQ(runner_.pool.num_used(), runner_.index.size());
  runner_.index.evict(runner_.pool.num_blocks());
  EXPECT_EQ(runner_.pool.num_used(), 0);
}

TEST_P(History, ForksGoTheirOwnWays) {
  const Trace trace = trace_alone(runner_, random_prompt(runner_, 60, 3), 6);
  for (const size_t at : {1u, 31u, 32u, 45u}) {
    const Trace other = trace_alone(runner_, branch(runner_, trace, at, 20, 4), 4);
    kvcache::SequenceCache first = runner_.sequence();
    ASSERT_TRUE(replay(runner_, first, trace, at, 16));
    kvcache::SequenceCache second = first.fork();
    ASSERT_TRUE(replay(runner_, second, other, at + 3, 1));
    ASSERT_TRUE(replay(runner_, first, trace, trace.size(), 7)) << at;
    ASSERT_TRUE(replay(runner_, second, other, other.size(), 7)) << at;
  }
  EXPECT_EQ(runner_.pool.num_used(), 0);
}

TEST_P(History, TruncationForgetsWhatCameLater) {
  const Trace trace = trace_alone(runner_, random_prompt(runner_, 70, 5), 6);
  kvcache::SequenceCache cache = runner_.sequence();
  ASSERT_TRUE(replay(runner_, cache, trace, trace.size(), 64));
  for (const size_t at : {69u, 64u, 33u, 32u, 10u, 0u}) {
    ASSERT_TRUE(cache.truncate(static_cast<int64_t>(at)).ok());
    const Trace other = trace_alone(runner_, branch(runner_, trace, at, 12, 6), 2);
    ASSERT_TRUE(replay(runner_, cache, other, other.size(), 5)) << at;
    ASSERT_TRUE(cache.truncate(static_cast<int64_t>(at)).ok());
    ASSERT_TRUE(replay(runner_, cache, trace, trace.size(), 50)) << at;
  }
  cache.clear();
  EXPECT_EQ(runner_.pool.num_used(), 0);
}

TEST_P(History, SavedSequencesContinueElsewhere) {
  const Trace trace = trace_alone(runner_, random_prompt(runner_, 50, 7), 8);
  for (const size_t at : {5u, 32u, 47u}) {
    kvcache::SequenceCache cache = runner_.sequence();
    ASSERT_TRUE(replay(runner_, cache, trace, at, 9));
    const std::string bytes = value_or_throw(cache.save(engine_->fingerprint()));
    cache.clear();
    Runner elsewhere(engine_, GetParam().kv, {1});
    kvcache::SequenceCache back = value_or_throw(kvcache::SequenceCache::restore(
        std::as_bytes(std::span(bytes)), engine_->fingerprint(), elsewhere.pool, nullptr));
    ASSERT_TRUE(replay(elsewhere, back, trace, trace.size(), 11)) << at;
  }
  EXPECT_EQ(runner_.pool.num_used(), 0);
}

INSTANTIATE_TEST_SUITE_P(Quantised, History, ::testing::ValuesIn(quantised_variants()),
                         [](const auto& param) { return param.param.name(); });
INSTANTIATE_TEST_SUITE_P(Engines, History, ::testing::ValuesIn(all_variants()),
                         [](const auto& param) { return param.param.name(); });

}  // namespace
}  // namespace legato::invariants
