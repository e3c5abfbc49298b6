#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "sampling/candidates.h"
#include "sampling/params.h"

namespace legato::sampling {

struct TokenLogprob {
  int32_t id = 0;
  double logprob = 0;
};

struct Sample {
  int32_t id = 0;
  /// Of the chosen token under the model's own distribution (softmax of the raw logits); 0 unless
  /// num_logprobs asks for it.
  double logprob = 0;
  std::vector<TokenLogprob> top;  ///< likeliest first
};

/// Draws tokens for one sequence. Deterministic in (params, history, logits): the random number of
/// output token n depends on seed and n alone. One thread.
class Sampler {
 public:
  /// `params` must have passed validate().
  Sampler(SamplingParams params, int64_t vocab_size);
  /// Takes the memory for so many output tokens; up to there sample() allocates nothing but
  /// Sample::top.
  void prepare(int64_t output_tokens);
  /// Tokens of the prompt, for the repetition penalty. Ids outside the vocabulary are ignored.
  void add_prompt(std::span<const int32_t> ids);
  /// Chooses the next token from a row of logits and records it. kInternal when a logit is NaN or
  /// +inf or none is finite.
  Result<Sample> sample(std::span<const float> logits);
  /// Forgets output tokens from `count` on (a truncated sequence).
  void truncate(int64_t count);
  bool is_stop(int32_t id) const;
  int64_t num_output() const { return static_cast<int64_t>(output_.size()); }
  const SamplingParams& params() const { return params_; }

 private:
  size_t candidates_needed() const;
  bool changes_logits() const;
  std::span<const float> changed(std::span<const float> logits);
  void penalise_repetition();
  Result<int32_t> choose(std::span<const float> logits);
  void report(std::span<const float> logits, float largest_logit, Sample& sample);
  void record(int32_t id);

  SamplingParams params_;
  std::vector<uint8_t> in_prompt_;      // by id
  std::vector<int32_t> prompt_ids_;     // each once
  std::vector<int32_t> output_counts_;  // by id
  std::vector<int32_t> output_ids_;     // each once, in order of first use
  std::vector<int32_t> output_;
  std::vector<float> scratch_;
  std::vector<Candidate> candidates_;
};

}  // namespace legato::sampling
