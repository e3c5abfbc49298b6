#pragma once

#include <cstdint>
#include <span>

#include "legato/session.h"

namespace legato::cli {

/// Sum of -log p over predicted tokens, in nats.
struct Likelihood {
  double negative_log = 0;
  int64_t tokens = 0;
};

/// -log softmax(logits)[id], in double. NaN when a logit is.
double negative_log_likelihood(std::span<const float> logits, int32_t id);

/// Tokens of a step whose every position gives logits, so that these stay within tens of MiB.
int64_t scoring_step_tokens(const EngineInfo& info, int64_t max_context);

/// Positions from `score_from` on, each predicted from those before it in the window.
Result<Likelihood> score_window(Session& session, std::span<const int32_t> ids, int64_t score_from);

}  // namespace legato::cli
