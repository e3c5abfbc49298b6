#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "tests/conformance/attention_data.h"
#include "tests/conformance/runner.h"

namespace legato::conformance {
namespace {

constexpr int32_t kPositions = 600;

std::vector<int32_t> consecutive_blocks(int32_t first, int32_t count) {
  std::vector<int32_t> blocks(static_cast<size_t>(count));
  std::iota(blocks.begin(), blocks.end(), first);
  return blocks;
}

/// Feeds several sequences through steps, each giving every sequence its next tokens; the cache
/// goes on from step to step. Returns each sequence's outputs.
class Feeder {
 public:
  Feeder(const AttentionOptions& options, std::vector<const SequenceData*> sequences,
         CpuLevel level, int threads)
      : options_(options),
        sequences_(std::move(sequences)),
        level_(level),
        threads_(threads),
        done_(sequences_.size(), 0),
        outputs_(sequences_.size()) {
    tactic_ = kernels::tactics().for_op("Attention", Backend::kCpu).front();
  }

  /// tokens[i] more tokens of sequence i (0: it rests).
  void step(const std::vector<int32_t>& tokens) {
    const int32_t per_sequence = blocks_of(kPositions);
    std::vector<Piece> pieces;
    for (size_t i = 0; i < sequences_.size(); ++i) {
      if (tokens[i] == 0) continue;
      pieces.push_back({sequences_[i], done_[i], tokens[i],
                        consecutive_blocks(static_cast<int32_t>(i) * per_sequence, per_sequence)});
    }
    Case test = attention_case(options_, pieces);
    test.cache.resize(test.kv.block_bytes() * sequences_.size() * static_cast<size_t>(per_sequence),
                      std::byte{0xff});
    if (!cache_.empty()) test.cache = cache_;
    const Outcome outcome = run_case(*tactic_, test, level_, threads_);
    cache_ = outcome.cache;
    const auto width = options_.heads * options_.head_dim;
    const float* row = outcome.output.data();
    for (size_t i = 0; i < sequences_.size(); ++i) {
      outputs_[i].insert(outputs_[i].end(), row, row + tokens[i] * width);
      row += tokens[i] * width;
      done_[i] += tokens[i];
    }
  }

  const std::vector<float>& output(size_t sequence) const { return outputs_[sequence]; }
  const std::vector<std::byte>& cache() const { return cache_; }

 private:
  AttentionOptions options_;
  std::vector<const SequenceData*> sequences_;
  CpuLevel level_;
  int threads_;
  const kernels::Tactic* tactic_;
  std::vector<int32_t> done_;
  std::vector<std::vector<float>> outputs_;
  std::vector<std::byte> cache_;
};

void expect_same_bits(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  ASSERT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(float)), 0);
}

std::vector<AttentionOptions> variants() {
  return {{"gqa f16", 8, 2, 64, 64, false, false, 0, 0, 0, DType::kF16},
          {"norm f32", 3, 3, 24, 24, false, true, 0, 0, 0, DType::kF32},
          {"window bf16", 14, 1, 32, 32, true, false, 70, 5, 0, DType::kBF16},
          {"softcap", 2, 1, 80, 0, false, false, 0, 0, 20, DType::kF16}};
}

class AttentionInvariance : public testing::TestWithParam<int> {
 protected:
  CpuLevel level() const { return static_cast<CpuLevel>(GetParam()); }
};

TEST_P(AttentionInvariance, ChunksOfAnySizeGiveTheBitsOfOnePrefill) {
  if (level() > best_cpu_level()) GTEST_SKIP() << "this machine has no " << cpu_level_name(level());
  for (const AttentionOptions& options : variants()) {
    SCOPED_TRACE(options.name);
    const SequenceData data = random_sequence(options, kPositions, 4);
    Feeder whole(options, {&data}, level(), 1);
    whole.step({kPositions});
    for (const int32_t chunk : {1, 2, 13, 32, 100, 257}) {
      SCOPED_TRACE(chunk);
      // Single tokens cost a launch each: two runs and a border of them are enough.
      Feeder chunked(options, {&data}, level(), 1 + chunk % 3);
      int32_t done = 0;
      if (chunk == 1) chunked.step({done = 230});
      for (const int32_t end = chunk == 1 ? 290 : kPositions; done < end;) {
        const int32_t tokens = std::min(chunk, end - done);
        chunked.step({tokens});
        done += tokens;
      }
      if (done < kPositions) chunked.step({kPositions - done});
      expect_same_bits(chunked.output(0), whole.output(0));
      ASSERT_EQ(chunked.cache(), whole.cache());
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(AttentionInvariance, StrangersInTheBatchChangeNoBit) {
  if (level() > best_cpu_level()) GTEST_SKIP() << "this machine has no " << cpu_level_name(level());
  for (const AttentionOptions& options : variants()) {
    SCOPED_TRACE(options.name);
    const SequenceData mine = random_sequence(options, kPositions, 5);
    const SequenceData other = random_sequence(options, kPositions, 6);
    for (const int threads : {1, 2, 3}) {
      SCOPED_TRACE(threads);
      Feeder alone(options, {&mine}, level(), 1);
      std::vector<const SequenceData*> many(10, &other);
      many[4] = &mine;
      Feeder crowd(options, many, level(), threads);
      const auto step = [&](int32_t tokens, int32_t others) {
        std::vector<int32_t> list(many.size(), others);
        list[4] = tokens;
        alone.step({tokens});
        crowd.step(list);
      };
      step(254, 3);
      for (int i = 0; i < 4; ++i) step(1, 1);  // decode across a run's border
      step(1, 40);
      step(60, 1);
      for (int i = 0; i < 2; ++i) step(1, 1);
      expect_same_bits(crowd.output(4), alone.output(0));
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, AttentionInvariance, testing::Range(0, kNumCpuLevels),
                         [](const auto& instance) {
                           return std::string(
                               cpu_level_name(static_cast<CpuLevel>(instance.param)));
                         });

}  // namespace
}  // namespace legato::conformance
