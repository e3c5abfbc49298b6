// Real engines on real kernels: nothing is allocated between steps, and a plan is kept.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/conformance/invariants/trace.h"
#include "tests/support/allocation_counter.h"

namespace legato::invariants {
namespace {

using runtime::SequenceStep;

class Memory : public ::testing::TestWithParam<Variant> {};

int64_t num_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST_P(Memory, StepsAllocateNothingAndStartNoThread) {
  if (!support::allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns the heap";
  const auto engine = build_engine(GetParam());
  for (const int threads : {1, 2}) {
    Runner runner(engine, GetParam().kv, {threads});
    kvcache::SequenceCache first = runner.indexed_sequence(), second = runner.indexed_sequence();
    first.prepare(kMaxContext);
    second.prepare(kMaxContext);
    const std::vector<int32_t> tokens = random_prompt(runner, 64, 1);
    const auto step = [&](size_t i) {
      if (first.length() > 90) (void)first.truncate(static_cast<int64_t>(i % 60));
      if (second.length() > 90) (void)second.truncate(3);
      const SequenceStep steps[] = {
          {&first, std::span(tokens).first(1 + i % 50)},
          {&second, std::span(tokens).subspan(i % 5, 1), SequenceStep::Logits::kAll}};
      return runner.context->step(std::span(steps).first(i % 3 == 0 ? 1 : 2)).ok();
    };
    ASSERT_TRUE(step(0) && step(1));
    const int64_t all_threads = num_threads();
    const int64_t allocations = support::allocations();
    int failed = 0;
    for (size_t i = 2; i < 300; ++i) failed += step(i) ? 0 : 1;
    EXPECT_EQ(support::allocations(), allocations) << threads << " threads";
    EXPECT_EQ(num_threads(), all_threads);
    EXPECT_EQ(failed, 0);
  }
}

TEST_P(Memory, PredictionIsWhatIsTaken) {
  const auto engine = build_engine(GetParam());
  const HugeMemory memory;
  for (const int threads : {1, 3}) {
    const Runner runner(engine, GetParam().kv, {threads});
    const runtime::ContextBytes predicted = value_or_throw(
        runtime::Context::predict(engine->spec(), runner.context->options(), memory));
    EXPECT_EQ(runner.context->workspace_bytes(), predicted.workspace);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Memory, ::testing::ValuesIn(few_variants()),
                         [](const auto& param) { return param.param.name(); });

}  // namespace
}  // namespace legato::invariants
