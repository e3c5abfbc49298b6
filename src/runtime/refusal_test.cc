// What a context refuses, and that it says why.

#include <gtest/gtest.h>

#include <functional>

#include "runtime/test_decoder.h"
#include "tests/support/thread_shortage.h"

namespace legato::runtime {
namespace {

std::string prediction(const engine::EngineSpec& spec, const ContextOptions& options) {
  const HugeMemory memory;
  const Result<ContextBytes> bytes = Context::predict(spec, options, memory);
  return bytes.ok() ? "accepted" : bytes.status().to_string();
}

TEST(ContextRefuses, OptionsOutOfRange) {
  const TestDecoder decoder;
  struct Bad {
    std::function<void(ContextOptions&)> change;
    const char* message;
  };
  for (const Bad& bad : {
           Bad{[](auto& o) { o.threads = -1; },
               "threads: -1, expected 1 to 1024 (what a team can have)"},
           Bad{[](auto& o) { o.max_tokens = 65; },
               "max_tokens: 65, expected 1 to 64 (what the engine was built for)"},
           Bad{[](auto& o) { o.max_tokens = 0; },
               "max_tokens: 0, expected 1 to 64 (what the engine was built for)"},
           Bad{[](auto& o) { o.max_logit_rows = 65; },
               "max_logit_rows: 65, expected 1 to 64 (what the engine was built for)"},
           Bad{[](auto& o) { o.max_sequences = 1 << 20; },
               "max_sequences: 1048576, expected 1 to 65536 (what a step can hold)"},
           Bad{[](auto& o) { o.max_context = 201; },
               "max_context: 201, expected 1 to 200 (the model's context)"},
       }) {
    ContextOptions options = test_options();
    bad.change(options);
    EXPECT_EQ(prediction(decoder.spec(), options), bad.message);
  }
}

TEST(ContextRefuses, MoreThreadsThanTheSystemStarts) {
  const TestDecoder decoder;
  HugeMemory memory;
  const auto engine = decoder.load();
  const ThreadShortage shortage;
  const auto context = Context::create(engine, test_options(16), memory);
  ASSERT_FALSE(context.ok());
  EXPECT_EQ(context.status().code, Code::kResourceExhausted);
  EXPECT_EQ(context.status().where, "threads");
}

TEST(ContextRefuses, ACpuThatLacksWhatTheEngineNeeds) {
  TestDecoder decoder;
  decoder.spec().required_level = CpuLevel::kAvx2;
  EXPECT_EQ(prediction(decoder.spec(), test_options()), "cpu_level: sse2, the engine needs avx2");
}

TEST(ContextRefuses, EnginesThatThisBuildCannotRun) {
  struct Bad {
    std::function<void(engine::EngineSpec&)> change;
    const char* message;
  };
  for (const Bad& bad : {
           Bad{[](auto& s) { s.steps[2].tactic = "cpu.linear.of.tomorrow"; },
               "step Linear.2: tactic cpu.linear.of.tomorrow: this build has none of that name"},
           Bad{[](auto& s) { s.steps[2].tactic = "ref.attention"; },
               "step Linear.2: tactic ref.attention: runs Attention, expected Linear"},
           Bad{[](auto& s) { s.values[0].name = "pixels"; },
               "pixels: unknown input, a decoder has input_ids, positions and logit_rows"},
           Bad{[](auto& s) { s.values[0].dtype = DType::kI64; },
               "input_ids: i64 [tokens], expected i32 [tokens]"},
           Bad{[](auto& s) { s.values[static_cast<size_t>(s.outputs[0])].name = "scores"; },
               "scores: unknown output, a decoder has logits"},
           Bad{[](auto& s) { s.model.vocab_size = 51; },
               "logits: f32 [logit_rows, 50], expected f32 [logit_rows, 51]"},
           Bad{[](auto& s) {
                 s.values[5].shape = {Dim(20), Dim(16)};
               },
               "step Embedding.1: tactic ref.embedding: table embedding is [20, 16], expected 50 "
               "rows at least"},
           Bad{[](auto& s) { s.steps[1].attributes.set("position_offset", INT64_MAX); },
               "step Embedding.1: tactic ref.embedding: position_offset is 9223372036854775807, "
               "expected 0 to 9223372036854775687"},
           Bad{[](auto& s) { s.weights[1].layout = WeightLayout::kRows32; },
               "step Linear.2: tactic ref.linear: weight wqkv.0 lies rows32, expected plain"},
           Bad{[](auto& s) {
                 s.values[3].shape = {Dim::symbol("batch"), Dim(4)};
               },
               "step RotaryTable.0: tactic ref.rotarytable: operand rope: extent batch, expected "
               "a sum of multiples of tokens and logit_rows"},
       }) {
    TestDecoder decoder;
    bad.change(decoder.spec());
    EXPECT_EQ(prediction(decoder.spec(), test_options()), bad.message);
  }
  TestDecoder decoder;
  decoder.spec().steps[3].attributes.set("heads", int64_t{3});
  EXPECT_EQ(prediction(decoder.spec(), test_options()).substr(0, 40),
            "step Attention.3: tactic ref.attention: ");
}

class StepRefuses : public ::testing::Test {
 protected:
  std::string step(std::span<const SequenceStep> steps) {
    const Status status = run_.context->step(steps);
    return status.ok() ? "accepted" : status.to_string();
  }
  std::string step(kvcache::SequenceCache& cache, std::vector<int32_t> tokens,
                   SequenceStep::Logits logits = SequenceStep::Logits::kLast) {
    const SequenceStep one{&cache, tokens, logits};
    return step({&one, 1});
  }
  void TearDown() override {
    kvcache::SequenceCache cache = run_.sequence();
    EXPECT_EQ(step(cache, {1, 2, 3}), "accepted");
  }

  TestRun run_;
};

TEST_F(StepRefuses, IdsOutsideTheVocabulary) {
  kvcache::SequenceCache cache = run_.sequence();
  EXPECT_EQ(step(cache, {1, 50}), "sequence 0: token 50, expected 0 to 49");
  EXPECT_EQ(step(cache, {-1}), "sequence 0: token -1, expected 0 to 49");
  EXPECT_EQ(step(cache, {INT32_MIN}), "sequence 0: token -2147483648, expected 0 to 49");
  EXPECT_EQ(cache.length(), 0);
  EXPECT_EQ(run_.pool.num_used(), 0);
}

TEST_F(StepRefuses, MoreThanTheLimits) {
  kvcache::SequenceCache cache = run_.sequence();
  EXPECT_EQ(step(cache, test_tokens(41, 1)), "step: 41 tokens, this context takes 40 at most");
  std::vector<kvcache::SequenceCache> caches;
  for (int i = 0; i < 7; ++i) caches.push_back(run_.sequence());
  const std::vector<int32_t> token = {1};
  std::vector<SequenceStep> steps;
  for (auto& each : caches) steps.push_back({&each, token});
  EXPECT_EQ(step(steps), "step: 7 sequences, this context takes 6 at most");
  for (int i = 0; i < 3; ++i) run_.step(cache, test_tokens(40, 2));
  EXPECT_EQ(step(cache, {1}), "sequence 0: 1 token after 120 positions, its context has 120");
  EXPECT_EQ(cache.length(), 120);
}

TEST_F(StepRefuses, MoreLogitRowsThanTheLimit) {
  ContextOptions options = test_options();
  options.max_logit_rows = 2;
  TestRun run(TestDecoder(), options);
  kvcache::SequenceCache cache = run.sequence();
  const std::vector<int32_t> tokens = {1, 2, 3};
  const SequenceStep all{&cache, tokens, SequenceStep::Logits::kAll};
  EXPECT_EQ(run.context->step({&all, 1}).to_string(),
            "step: 3 rows of logits, this context takes 2 at most");
  EXPECT_EQ(cache.length(), 0);
}

TEST_F(StepRefuses, NothingTwiceAndForeignCaches) {
  kvcache::SequenceCache cache = run_.sequence();
  const std::vector<int32_t> token = {1};
  EXPECT_EQ(step({}), "step: no sequence, expected one at least");
  EXPECT_EQ(step(cache, {}), "sequence 0: has no tokens, expected one at least");
  const SequenceStep nothing{nullptr, token};
  EXPECT_EQ(step({&nothing, 1}), "sequence 0: has no cache");
  const SequenceStep twice[] = {{&cache, token}, {&cache, token}};
  EXPECT_EQ(step(twice), "step: two of its sequences have the same cache");
  TestRun other;
  kvcache::SequenceCache foreign = other.sequence();
  const SequenceStep mixed[] = {{&cache, token}, {&foreign, token}};
  EXPECT_EQ(step(mixed), "sequence 1: its cache lies in another pool than sequence 0's");
  TestRun deeper{TestDecoder(3)};
  kvcache::SequenceCache deep = deeper.sequence();
  EXPECT_EQ(step(deep, {1}), "sequence 0: its cache has 3 layers that are not the engine's 2");
}

}  // namespace
}  // namespace legato::runtime
