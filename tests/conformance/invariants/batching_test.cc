// Neither chunking nor threads nor strangers in the batch change a bit of what a sequence computes.

#include <gtest/gtest.h>

#include <random>

#include "tests/conformance/invariants/trace.h"

namespace legato::invariants {
namespace {

using runtime::SequenceStep;

class Batching : public ::testing::TestWithParam<Variant> {};

TEST_P(Batching, ChunksAndThreadsChangeNoBitOnAnyLevel) {
  const auto engine = build_engine(GetParam());
  for (const CpuLevel level : available_cpu_levels()) {
    if (level < engine->spec().required_level) continue;
    Runner alone(engine, GetParam().kv, {1, level});
    const Trace trace = trace_alone(alone, random_prompt(alone, 80, 1), 12);
    // More threads than cores: some come late to every loop, or miss whole steps.
    for (const int threads : {1, 2, 3, 12}) {
      Runner runner(engine, GetParam().kv, {threads, level});
      // All sizes on the level that the machine would take, the extreme ones on the others.
      const std::vector<size_t> chunks = level == best_cpu_level() && threads <= 3
                                             ? std::vector<size_t>{1, 2, 5, 31, 32, 33, 92}
                                             : std::vector<size_t>{1, 17, 92};
      for (const size_t chunk : chunks) {
        kvcache::SequenceCache cache = runner.sequence();
        ASSERT_TRUE(replay(runner, cache, trace, trace.size(), chunk))
            << cpu_level_name(level) << ", " << threads << " threads";
      }
      EXPECT_EQ(runner.pool.num_used(), 0);
    }
  }
}

/// A sequence on its way through a trace.
struct Member {
  const Trace* trace;
  kvcache::SequenceCache cache;
};

/// One step with a random piece of each unfinished member, in a random order.
::testing::AssertionResult mixed_step(Runner& runner, std::vector<Member>& members,
                                      std::mt19937& random) {
  std::shuffle(members.begin(), members.end(), random);
  std::vector<SequenceStep> steps;
  std::vector<std::pair<Member*, size_t>> rows;  // with the position of their first row
  size_t budget = kMaxStepTokens;
  for (Member& member : members) {
    const auto position = static_cast<size_t>(member.cache.length());
    size_t count = random() % 3 == 0 ? 1 + random() % 40 : 1;
    count = std::min({count, member.trace->size() - position, budget});
    if (count == 0 || random() % 5 == 0) continue;
    budget -= count;
    steps.push_back(
        {&member.cache, member.trace->part(position, count), SequenceStep::Logits::kAll});
    rows.emplace_back(&member, position);
  }
  if (steps.empty()) return ::testing::AssertionSuccess();
  runner.step(steps);
  size_t row = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    auto same =
        same_rows(runner, row, *rows[i].first->trace, rows[i].second, steps[i].tokens.size());
    if (!same) return same << " in a batch of " << steps.size();
    row += steps[i].tokens.size();
  }
  return ::testing::AssertionSuccess();
}

TEST_P(Batching, StrangersInTheBatchChangeNoBit) {
  const auto engine = build_engine(GetParam());
  for (const int threads : {1, 2}) {
    Runner runner(engine, GetParam().kv, {threads});
    std::vector<Trace> traces;
    for (const size_t length : {1u, 3u, 40u, 70u, 33u})
      traces.push_back(trace_alone(runner, random_prompt(runner, length, 10 + length), 10));
    std::vector<Member> members;
    for (const Trace& trace : traces) members.push_back({&trace, runner.sequence()});
    // The same prompt three times in one batch.
    for (int i = 0; i < 2; ++i) members.push_back({&traces[2], runner.sequence()});
    std::mt19937 random(static_cast<uint32_t>(threads));
    const auto finished = [&members] {
      return std::all_of(members.begin(), members.end(), [](const Member& member) {
        return static_cast<size_t>(member.cache.length()) == member.trace->size();
      });
    };
    while (!finished()) ASSERT_TRUE(mixed_step(runner, members, random)) << threads << " threads";
    members.clear();
    EXPECT_EQ(runner.pool.num_used(), 0);
  }
}

TEST_P(Batching, ASecondRunOfTheSameStepsIsEqual) {
  const auto engine = build_engine(GetParam());
  Runner first(engine, GetParam().kv, {2}), second(engine, GetParam().kv, {2});
  const Trace trace = trace_alone(first, random_prompt(first, 50, 3), 6);
  EXPECT_EQ(trace_alone(first, random_prompt(first, 50, 3), 6).rows, trace.rows);
  EXPECT_EQ(trace_alone(second, random_prompt(second, 50, 3), 6).rows, trace.rows);
}

INSTANTIATE_TEST_SUITE_P(Quantised, Batching, ::testing::ValuesIn(quantised_variants()),
                         [](const auto& param) { return param.param.name(); });
INSTANTIATE_TEST_SUITE_P(Engines, Batching, ::testing::ValuesIn(all_variants()),
                         [](const auto& param) { return param.param.name(); });

}  // namespace
}  // namespace legato::invariants
