#include <gtest/gtest.h>

#include <chrono>

#include "runtime/test_decoder.h"

namespace legato::runtime {
namespace {

TEST(Profile, CountsEachKernelAndStaysBelowTheWallClock) {
  for (const int threads : {1, 2}) {
    TestRun run(TestDecoder(), test_options(threads));
    kvcache::SequenceCache cache = run.sequence();
    run.step(cache, test_tokens(3, 1));
    for (const KernelTime& time : run.context->profile()) EXPECT_EQ(time.launches, 0);
    run.context->enable_profile(true);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) run.step(cache, test_tokens(2, 2));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    ASSERT_EQ(run.context->profile().size(), run.engine->spec().steps.size());
    double total = 0;
    for (const KernelTime& time : run.context->profile()) {
      EXPECT_EQ(time.launches, 5);
      EXPECT_GT(time.seconds, 0);
      total += time.seconds + time.barrier_seconds;
    }
    EXPECT_LT(total, wall.count());
    run.context->reset_profile();
    EXPECT_EQ(run.context->profile()[0].launches, 0);
    run.context->enable_profile(false);
    run.step(cache, test_tokens(1, 3));
    EXPECT_EQ(run.context->profile()[0].launches, 0);
  }
}

TEST(Profile, KernelsWithoutRowsAreNotLaunched) {
  TestRun run;
  kvcache::SequenceCache cache = run.sequence();
  run.context->enable_profile(true);
  run.step(cache, test_tokens(3, 1), SequenceStep::Logits::kNone);
  for (size_t i = 0; i < run.engine->spec().steps.size(); ++i) {
    const bool of_logits = i + 2 >= run.engine->spec().steps.size();
    EXPECT_EQ(run.context->profile()[i].launches, of_logits ? 0 : 1) << i;
  }
}

TEST(Profile, CostsComeForEachStep) {
  TestRun run;
  const std::vector<kernels::Cost> one = run.context->costs({1, 1, 10});
  const std::vector<kernels::Cost> many = run.context->costs({30, 30, 10});
  ASSERT_EQ(one.size(), run.engine->spec().steps.size());
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_GT(one[i].bytes, 0) << i;
    EXPECT_GT(many[i].operations, one[i].operations) << i;
  }
}

}  // namespace
}  // namespace legato::runtime
