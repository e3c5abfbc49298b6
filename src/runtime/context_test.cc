#include "runtime/context.h"

#include <gtest/gtest.h>

#include <numeric>

#include "runtime/test_decoder.h"

namespace legato::runtime {
namespace {

using Logits = SequenceStep::Logits;

std::vector<float> row(std::span<const float> logits, size_t index) {
  const auto one = logits.subspan(index * TestDecoder::kVocab, TestDecoder::kVocab);
  return {one.begin(), one.end()};
}

TEST(Context, LogitsComeOnlyWhereAsked) {
  TestRun run;
  const std::vector<int32_t> tokens = test_tokens(9, 1);
  kvcache::SequenceCache all = run.sequence(), last = run.sequence(), none = run.sequence();
  const std::vector<float> every = run.step(all, tokens, Logits::kAll);
  EXPECT_EQ(every.size(), 9u * TestDecoder::kVocab);
  EXPECT_EQ(run.step(last, tokens), row(every, 8));
  EXPECT_TRUE(run.step(none, tokens, Logits::kNone).empty());
  EXPECT_EQ(run.context->logit_rows(), 0);
  EXPECT_EQ(none.length(), 9);
  const std::vector<int32_t> next = {3};
  EXPECT_EQ(run.step(none, next), run.step(last, next));
}

TEST(Context, RowsOfManySequencesComeInTheirOrder) {
  TestRun run;
  const std::vector<int32_t> a = test_tokens(5, 1), b = test_tokens(7, 2), c = test_tokens(3, 3);
  kvcache::SequenceCache alone_a = run.sequence(), alone_c = run.sequence();
  const std::vector<float> rows_a = run.step(alone_a, a, Logits::kAll);
  const std::vector<float> row_c = run.step(alone_c, c);
  kvcache::SequenceCache x = run.sequence(), y = run.sequence(), z = run.sequence();
  const SequenceStep steps[] = {{&x, a, Logits::kAll}, {&y, b, Logits::kNone}, {&z, c}};
  ASSERT_TRUE(run.context->step(steps).ok());
  ASSERT_EQ(run.context->logit_rows(), 6);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(row(run.context->logits(), i), row(rows_a, i));
  EXPECT_EQ(row(run.context->logits(), 5), row_c);
}

TEST(Context, AnyChunkingGivesTheSameBits) {
  const std::vector<int32_t> tokens = test_tokens(38, 4);
  for (const int32_t window : {0, 5}) {
    for (const int threads : {1, 2, 3}) {
      TestRun run(TestDecoder(2, window, window / 2), test_options(threads));
      kvcache::SequenceCache whole = run.sequence();
      const std::vector<float> expected = run.step(whole, tokens, Logits::kAll);
      for (const size_t chunk : {1u, 2u, 7u, 32u}) {
        kvcache::SequenceCache cache = run.sequence();
        std::vector<float> found;
        for (size_t i = 0; i < tokens.size(); i += chunk) {
          const auto part = std::span(tokens).subspan(i, std::min(chunk, tokens.size() - i));
          const std::vector<float> rows = run.step(cache, part, Logits::kAll);
          found.insert(found.end(), rows.begin(), rows.end());
        }
        EXPECT_EQ(found, expected) << chunk;
      }
    }
  }
}

TEST(Context, AFullPoolChangesNoSequence) {
  TestRun run(TestDecoder(), test_options(), 3);
  kvcache::SequenceCache first = run.sequence(), second = run.sequence();
  run.step(first, test_tokens(30, 1));
  run.step(second, test_tokens(33, 2));
  EXPECT_EQ(run.pool.num_free(), 0);
  const std::vector<int32_t> two = {1, 2}, many = test_tokens(32, 5);
  const SequenceStep steps[] = {{&first, two}, {&second, many}};
  const Status status = run.context->step(steps);
  EXPECT_EQ(status.code, Code::kResourceExhausted);
  EXPECT_EQ(status.to_string(),
            "sequence 1: cache: 1 more blocks are needed, 0 of 3 are free or can be freed");
  EXPECT_EQ(first.length(), 30);
  EXPECT_EQ(second.length(), 33);
  EXPECT_EQ(run.pool.num_used(), 3);
  EXPECT_TRUE(run.context->step({steps, 1}).ok());
}

TEST(Context, RoomReservedBeforeAFailureIsGivenBack) {
  TestRun run(TestDecoder(), test_options(), 3);
  kvcache::SequenceCache first = run.sequence(), second = run.sequence();
  const std::vector<int32_t> three = test_tokens(33, 1), many = test_tokens(7, 2);
  run.step(second, test_tokens(32, 3));
  const SequenceStep steps[] = {{&first, three}, {&second, many}};
  EXPECT_EQ(run.context->step(steps).code, Code::kResourceExhausted);
  EXPECT_EQ(run.pool.num_used(), 1);
  first.clear();
  second.clear();
  EXPECT_EQ(run.pool.num_used(), 0);
}

TEST(Context, ZeroThreadsAreTheUsableCores) {
  TestRun run(TestDecoder(), test_options(0));
  EXPECT_EQ(run.context->options().threads, usable_cores());
}

}  // namespace
}  // namespace legato::runtime
