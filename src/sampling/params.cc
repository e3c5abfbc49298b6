#include "sampling/params.h"

#include <fmt/format.h>

#include <limits>

namespace legato::sampling {
namespace {

/// The negated comparison refuses NaN too.
Status judge(const char* field, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  return fail(Code::kInvalidArgument, field,
              fmt::format("{}, expected {} to {}", value, low, high));
}

Status judge_id(const char* field, int32_t id, int64_t vocab_size) {
  if (id >= 0 && id < vocab_size) return {};
  return fail(Code::kInvalidArgument, field,
              fmt::format("id {}, expected 0 to {}", id, vocab_size - 1));
}

Status judge_count(const char* field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return {};
  return fail(Code::kInvalidArgument, field,
              fmt::format("{}, expected {} to {}", value, low, high));
}

}  // namespace

Status SamplingParams::validate(int64_t vocab_size) const {
  LEGATO_RETURN_IF_ERROR(judge("temperature", temperature, 0.0, kMaxTemperature));
  LEGATO_RETURN_IF_ERROR(judge_count("top_k", top_k, -1, std::numeric_limits<int32_t>::max()));
  if (!(top_p > 0.0 && top_p <= 1.0))
    return fail(Code::kInvalidArgument, "top_p",
                fmt::format("{}, expected more than 0 and at most 1", top_p));
  LEGATO_RETURN_IF_ERROR(judge("min_p", min_p, 0.0, 1.0));
  if (!(repetition_penalty > 0.0 && repetition_penalty <= kMaxRepetitionPenalty))
    return fail(Code::kInvalidArgument, "repetition_penalty",
                fmt::format("{}, expected more than 0 and at most {}", repetition_penalty,
                            kMaxRepetitionPenalty));
  LEGATO_RETURN_IF_ERROR(
      judge("presence_penalty", presence_penalty, -kMaxCountPenalty, kMaxCountPenalty));
  LEGATO_RETURN_IF_ERROR(
      judge("frequency_penalty", frequency_penalty, -kMaxCountPenalty, kMaxCountPenalty));
  LEGATO_RETURN_IF_ERROR(
      judge_count("logit_bias entries", static_cast<int64_t>(logit_bias.size()), 0, kMaxBiasedIds));
  for (const auto& [id, bias] : logit_bias) {
    LEGATO_RETURN_IF_ERROR(judge_id("logit_bias", id, vocab_size));
    LEGATO_RETURN_IF_ERROR(judge("logit_bias", bias, -kMaxLogitBias, kMaxLogitBias));
  }
  LEGATO_RETURN_IF_ERROR(
      judge_count("min_tokens", min_tokens, 0, std::numeric_limits<int32_t>::max()));
  LEGATO_RETURN_IF_ERROR(
      judge_count("stop_ids entries", static_cast<int64_t>(stop_ids.size()), 0, kMaxStopIds));
  for (const int32_t id : stop_ids) LEGATO_RETURN_IF_ERROR(judge_id("stop_ids", id, vocab_size));
  return judge_count("num_logprobs", num_logprobs, -1, kMaxLogprobs);
}

}  // namespace legato::sampling
