#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "legato/types.h"

namespace legato {
inline namespace v1 {

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
  int64_t min_tokens = 0;         ///< stop ids are impossible before so many output tokens
  std::vector<int32_t> stop_ids;  ///< end tokens and the caller's own
  int32_t num_logprobs = -1;      ///< most likely tokens to report beside the chosen; -1: off
};

struct TokenLogprob {
  int32_t id = 0;
  double logprob = 0;
};

struct Sample {
  int32_t id = 0;
  double logprob = 0;  ///< of the chosen token under softmax of the raw logits
  std::vector<TokenLogprob> top;
};

/// Draws the tokens of one sequence. Equal params, prompt and logits give equal tokens, whatever
/// else runs. Move-only; one thread.
class LEGATO_API Sampler {
 public:
  /// kInvalidArgument names the parameter, its range and the value.
  static Result<Sampler> create(const SamplingParams& params, int64_t vocab_size);
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;
  ~Sampler();

  /// Tokens of the prompt, for the repetition penalty.
  void add_prompt(std::span<const int32_t> ids);
  /// Chooses the next token from a row of logits and records it.
  Result<Sample> sample(std::span<const float> logits);
  /// Forgets output tokens from `count` on.
  void truncate(int64_t count);
  bool is_stop(int32_t id) const;
  int64_t num_output() const;

 private:
  struct Impl;
  explicit Sampler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace legato
