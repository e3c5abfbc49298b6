// Nothing is allocated between steps, and what was predicted is what is taken.

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "runtime/test_decoder.h"
#include "tests/support/allocation_counter.h"

namespace legato::runtime {
namespace {

size_t num_threads() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

/// Remembers what it gave.
class RecordingMemory : public Allocator {
 public:
  Result<Buffer> allocate(size_t bytes) override {
    Result<Buffer> buffer = memory_.allocate(bytes);
    if (buffer.ok()) taken_ += buffer->bytes();
    ++calls_;
    return buffer;
  }
  size_t reserved_bytes(size_t bytes) const override { return memory_.reserved_bytes(bytes); }
  uint64_t taken() const { return taken_; }
  int calls() const { return calls_; }

 private:
  HugeMemory memory_;
  uint64_t taken_ = 0;
  int calls_ = 0;
};

TEST(ContextMemory, AThousandStepsAllocateNothingAndStartNoThread) {
  if (!support::allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns the heap";
  for (const int threads : {1, 2}) {
    TestRun run(TestDecoder(), test_options(threads));
    kvcache::PrefixIndex index(run.pool);
    kvcache::SequenceCache first(run.pool, &index), second(run.pool, &index);
    first.prepare(120);
    second.prepare(120);
    const std::vector<int32_t> tokens = test_tokens(40, 1);
    const auto step = [&](size_t i) {
      const SequenceStep steps[] = {
          {&first, std::span(tokens).first(1 + i % 7)},
          {&second, std::span(tokens).subspan(i % 5, 1), SequenceStep::Logits::kAll}};
      if (first.length() > 100) (void)first.truncate(static_cast<int64_t>(i % 60));
      if (second.length() > 100) (void)second.truncate(3);
      return run.context->step(steps).ok();
    };
    ASSERT_TRUE(step(0));
    const size_t all_threads = num_threads();
    const int64_t allocations = support::allocations();
    int failed = 0;
    for (size_t i = 1; i <= 1000; ++i) failed += step(i) ? 0 : 1;
    EXPECT_EQ(support::allocations(), allocations);
    EXPECT_EQ(num_threads(), all_threads);
    EXPECT_EQ(failed, 0);
  }
}

TEST(ContextMemory, PredictionIsWhatCreateTakes) {
  const TestDecoder decoder;
  const auto engine = decoder.load();
  for (const int64_t tokens : {1, 16, 64}) {
    for (const int64_t rows : {1, 64}) {
      ContextOptions options = test_options(2);
      options.max_tokens = tokens;
      options.max_logit_rows = rows;
      RecordingMemory memory;
      const ContextBytes predicted = Context::predict(decoder.spec(), options, memory).value();
      EXPECT_EQ(memory.taken(), 0u);
      const auto context = Context::create(engine, options, memory).value();
      EXPECT_EQ(memory.calls(), 1);
      EXPECT_EQ(memory.taken(), predicted.workspace);
      EXPECT_EQ(context->workspace_bytes(), predicted.workspace);
    }
  }
}

TEST(ContextMemory, LargerStepsTakeMore) {
  const TestDecoder decoder;
  const HugeMemory memory;
  ContextOptions small = test_options(), large = test_options();
  small.max_tokens = 1;
  large.max_tokens = TestDecoder::kMaxStepTokens;
  EXPECT_LT(Context::predict(decoder.spec(), small, memory).value().workspace,
            Context::predict(decoder.spec(), large, memory).value().workspace);
}

}  // namespace
}  // namespace legato::runtime
