#include "legato/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>

#include "api/test_engine.h"
#include "base/status.h"

namespace legato {
namespace {

using testing::HasSubstr;

std::vector<int32_t> prompt_of(size_t count, int32_t first = 10) {
  std::vector<int32_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

SessionOptions small() {
  SessionOptions options;
  options.max_sequences = 4;
  options.max_context = 256;
  return options;
}

Session open(const SessionOptions& options) {
  return value_or_throw(Session::create(api::test_engine(), options));
}

/// Page-aligned memory that is counted; refuses beyond a limit.
class LimitedMemory : public MemorySource {
 public:
  explicit LimitedMemory(size_t limit) : limit_(limit) {}
  void* allocate(size_t bytes) override {
    if (held_ + bytes > limit_) return nullptr;
    void* data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    std::memset(data, 0, bytes);
    held_ += bytes;
    return data;
  }
  void release(void* data, size_t bytes) override {
    held_ -= bytes;
    std::free(data);
  }
  size_t held() const { return held_; }

 private:
  size_t limit_;
  size_t held_ = 0;
};

TEST(Session, ForkTruncateSaveAndRestoreKeepTheTokens) {
  Session session = open(small());
  const std::vector<int32_t> prompt = prompt_of(70);
  Sequence first = session.open_sequence();
  const std::vector<int32_t> expected = api::greedy(session, first, prompt, 20);
  ASSERT_EQ(first.length(), 89);

  Sequence forked = value_or_throw(first.fork());
  ASSERT_TRUE(forked.truncate(69).ok());
  EXPECT_EQ(api::greedy(session, forked, std::span(prompt).last(1), 20), expected);

  const std::string saved = value_or_throw(first.save());
  Sequence restored =
      value_or_throw(session.restore(std::as_bytes(std::span(saved.data(), saved.size()))));
  ASSERT_TRUE(restored.truncate(69).ok());
  EXPECT_EQ(api::greedy(session, restored, std::span(prompt).last(1), 20), expected);
}

TEST(Session, SequencesInOneStepDoNotSeeEachOther) {
  Session session = open(small());
  const std::vector<int32_t> long_prompt = prompt_of(40, 100);
  const std::vector<int32_t> short_prompt = prompt_of(3, 7);
  Sequence alone = session.open_sequence();
  ASSERT_TRUE(session.append(alone, short_prompt).ok());
  const std::vector<float> expected(session.logits().begin(), session.logits().end());

  Sequence a = session.open_sequence();
  Sequence b = session.open_sequence();
  const StepItem items[] = {{&a, long_prompt, StepItem::Logits::kNone},
                            {&b, short_prompt, StepItem::Logits::kLast}};
  ASSERT_TRUE(session.step(items).ok());
  ASSERT_EQ(session.logit_rows(), 1);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), session.logits().begin()));
  EXPECT_TRUE(session.logits(1).empty());
}

TEST(Session, BlocksGoBackWhenSequencesDieAndThePrefixCacheIsDropped) {
  SessionOptions options = small();
  options.prefix_cache = true;
  Session session = open(options);
  const std::vector<int32_t> prompt = prompt_of(100);
  std::vector<int32_t> expected;
  {
    Sequence first = session.open_sequence();
    EXPECT_EQ(first.reuse_prefix(prompt), 0);
    expected = api::greedy(session, first, prompt, 8);
    Sequence second = session.open_sequence();
    const int64_t reused = second.reuse_prefix(prompt);
    EXPECT_EQ(reused, 96);
    const auto rest = std::span(prompt).subspan(static_cast<size_t>(reused));
    EXPECT_EQ(api::greedy(session, second, rest, 8), expected);
    Sequence stranger = session.open_sequence("other salt");
    EXPECT_EQ(stranger.reuse_prefix(prompt), 0);
  }
  EXPECT_EQ(session.num_used_blocks(), session.num_cached_blocks());
  EXPECT_GT(session.num_cached_blocks(), 0);
  session.drop_prefix_cache();
  EXPECT_EQ(session.num_used_blocks(), 0);
}

TEST(Session, CallersMemoryIsAllThatItTakesAndComesBack) {
  LimitedMemory memory(size_t{1} << 30);
  SessionOptions options = small();
  options.memory = &memory;
  {
    Session session = open(options);
    EXPECT_EQ(memory.held(), session.memory().kv_bytes + session.memory().workspace_bytes);
  }
  EXPECT_EQ(memory.held(), 0u);
  LimitedMemory tight(1 << 20);
  options.memory = &tight;
  const Result<Session> refused = Session::create(api::test_engine(), options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, Code::kResourceExhausted);
  EXPECT_EQ(tight.held(), 0u);
}

TEST(Session, OptionsOutOfRangeNameTheirBounds) {
  const auto refusal = [](auto change) {
    SessionOptions options = small();
    change(options);
    return Session::create(api::test_engine(), options).status().to_string();
  };
  EXPECT_THAT(refusal([](auto& o) { o.max_context = 5000; }), HasSubstr("2048"));
  EXPECT_THAT(refusal([](auto& o) { o.max_sequences = -1; }), HasSubstr("max_sequences"));
  EXPECT_THAT(refusal([](auto& o) { o.threads = -1; }), HasSubstr("threads"));
  EXPECT_THAT(refusal([](auto& o) { o.cpu_level = "mmx"; }), HasSubstr("mmx"));
  EXPECT_THAT(refusal([](auto& o) { o.kv_type = DataType::kI8; }), HasSubstr("i8"));
}

TEST(Session, AFailedStepChangesNothing) {
  Session session = open(small());
  Sequence sequence = session.open_sequence();
  ASSERT_TRUE(session.append(sequence, prompt_of(5)).ok());
  const int64_t used = session.num_used_blocks();
  const int32_t outside = 1 << 20;
  const StepItem bad{&sequence, {&outside, 1}, StepItem::Logits::kLast};
  EXPECT_EQ(session.step({&bad, 1}).code, Code::kInvalidArgument);
  EXPECT_EQ(sequence.length(), 5);
  EXPECT_EQ(session.num_used_blocks(), used);

  Session other = open(small());
  Sequence foreign = other.open_sequence();
  const int32_t id = 3;
  const StepItem stranger{&foreign, {&id, 1}, StepItem::Logits::kLast};
  EXPECT_EQ(session.step({&stranger, 1}).code, Code::kInvalidArgument);
}

TEST(Engine, KvBindingsCoverABlockWithoutOverlap) {
  const std::vector<KvBinding> bindings = api::test_engine().kv_bindings(DataType::kF16);
  ASSERT_EQ(bindings.size(), 8u);
  uint64_t expected = 0;
  for (const KvBinding& binding : bindings) {
    EXPECT_EQ(binding.offset, expected);
    expected += binding.head_bytes * static_cast<uint64_t>(binding.heads);
  }
  EXPECT_EQ(expected, bindings.front().block_bytes);
  EXPECT_EQ(expected, api::test_engine().kv_bytes_per_token(DataType::kF16) * 32);
}

TEST(Engine, AnOpenEngineWithoutWeightsPlansButRunsNoSession) {
  EXPECT_TRUE(api::test_engine().loaded());
  const MemoryPlan plan = value_or_throw(plan_session(api::test_engine(), small()));
  EXPECT_GE(plan.max_tokens, 4 * 256);
  const Result<Engine> missing = Engine::open("/nonexistent.engine");
  EXPECT_EQ(missing.status().code, Code::kNotFound);
}

}  // namespace
}  // namespace legato
