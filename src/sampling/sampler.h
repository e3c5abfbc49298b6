#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"

namespace legato::sampling {

/// How one sequence chooses its next token. Logits are changed in this order: bias, repetition
/// penalty, presence and frequency penalty, temperature, top-k, top-p, min-p.
struct SamplingParams {
  double temperature = 1.0;  ///< 0: the largest logit, ties to the lowest id
  int64_t top_k = 0;         ///< 0: off
  double top_p = 1.0;
  double min_p = 0.0;
  double repetition_penalty = 1.0;  ///< over prompt and output, each token once
  double presence_penalty = 0.0;    ///< over output
  double frequency_penalty = 0.0;   ///< over output
  std::vector<std::pair<int32_t, double>> logit_bias;
  uint64_t seed = 0;
  int64_t min_tokens = 0;         ///< end and stop ids are impossible before so many output tokens
  std::vector<int32_t> stop_ids;  ///< end tokens and the caller's own
  int32_t num_logprobs =
      0;  ///< most likely tokens to report beside the chosen one (0: none, -1: off)

  /// kInvalidArgument naming the field, its range and the value.
  Status validate(int64_t vocab_size) const;
};

struct TokenLogprob {
  int32_t id = 0;
  double logprob = 0;
};

struct Sample {
  int32_t id = 0;
  double logprob =
      0;  ///< of the chosen token under the model's own distribution (softmax of the raw logits)
  std::vector<TokenLogprob> top;
};

/// Draws tokens for one sequence. Deterministic in (params, history, logits): the random number of
/// output token n depends on seed and n alone. One thread.
class Sampler {
 public:
  /// `params` must have passed validate().
  Sampler(SamplingParams params, int64_t vocab_size);
  /// Tokens of the prompt, for the repetition penalty.
  void add_prompt(std::span<const int32_t> ids);
  /// Chooses the next token from a row of logits and records it. kInternal when no logit is finite.
  Result<Sample> sample(std::span<const float> logits);
  /// Forgets output tokens from `count` on (a truncated sequence).
  void truncate(int64_t count);
  bool is_stop(int32_t id) const;
  int64_t num_output() const;
  const SamplingParams& params() const { return params_; }

 private:
  SamplingParams params_;
  std::vector<uint8_t> in_prompt_;
  std::vector<int32_t> output_counts_;
  std::vector<int32_t> output_;
  std::vector<float> scratch_;
  std::vector<std::pair<float, int32_t>> candidates_;
};

}  // namespace legato::sampling
