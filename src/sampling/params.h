#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"

namespace legato::sampling {

/// How one sequence chooses its next token. Logits are changed in this order: bias, repetition
/// penalty, presence and frequency penalty, temperature, top-k, top-p, min-p.
struct SamplingParams {
  double temperature = 1.0;  ///< 0: the largest logit, ties to the lowest id
  int64_t top_k = 0;         ///< 0 and -1: off
  double top_p = 1.0;        ///< the fewest likeliest tokens with so much probability
  double min_p = 0.0;        ///< tokens less likely than this share of the likeliest are dropped
  double repetition_penalty = 1.0;                     ///< over prompt and output, each token once
  double presence_penalty = 0.0;                       ///< over output
  double frequency_penalty = 0.0;                      ///< over output
  std::vector<std::pair<int32_t, double>> logit_bias;  ///< several for one id add up
  uint64_t seed = 0;
  int64_t min_tokens = 0;         ///< end and stop ids are impossible before so many output tokens
  std::vector<int32_t> stop_ids;  ///< end tokens and the caller's own
  int32_t num_logprobs =
      -1;  ///< likeliest tokens to report beside the chosen one; 0: only that one's; -1: off

  /// kInvalidArgument naming the field, its range and the value.
  Status validate(int64_t vocab_size) const;
};

inline constexpr double kMaxTemperature = 100.0;
inline constexpr double kMaxRepetitionPenalty = 100.0;
inline constexpr double kMaxCountPenalty = 2.0;  ///< presence and frequency, in both directions
inline constexpr double kMaxLogitBias = 100.0;   ///< in both directions
inline constexpr size_t kMaxBiasedIds = 4096;
inline constexpr size_t kMaxStopIds = 4096;
inline constexpr int32_t kMaxLogprobs = 1024;

}  // namespace legato::sampling
