#include "cli/likelihood.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "cli/step_shape.h"

namespace legato::cli {
namespace {

constexpr int64_t kLogitBytes = 32 << 20;

}  // namespace

double negative_log_likelihood(std::span<const float> logits, int32_t id) {
  double largest = logits[0];
  for (const float logit : logits) largest = std::max<double>(largest, logit);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum) - static_cast<double>(logits[static_cast<size_t>(id)]);
}

int64_t scoring_step_tokens(const EngineInfo& info, int64_t max_context) {
  int64_t tokens = kLogitBytes / static_cast<int64_t>(sizeof(float)) / info.vocab_size;
  tokens = std::min(tokens, max_step_tokens(info));
  return std::clamp<int64_t>(tokens, 1, max_context);
}

Result<Likelihood> score_window(Session& session, std::span<const int32_t> ids,
                                int64_t score_from) {
  const auto limit = static_cast<size_t>(session.options().max_step_tokens);
  Sequence sequence = session.open_sequence();
  Likelihood sum;
  // The last id is only predicted.
  const std::span<const int32_t> inputs = ids.first(ids.size() - 1);
  for (size_t first = 0; first < inputs.size(); first += limit) {
    const size_t count = std::min(limit, inputs.size() - first);
    const bool scored = static_cast<int64_t>(first + count) >= score_from;
    const StepItem item{&sequence, inputs.subspan(first, count),
                        scored ? StepItem::Logits::kAll : StepItem::Logits::kNone};
    LEGATO_RETURN_IF_ERROR(session.step({&item, 1}));
    for (size_t row = 0; scored && row < count; ++row) {
      const size_t predicted = first + row + 1;
      if (static_cast<int64_t>(predicted) < score_from) continue;
      const int32_t id = ids[predicted];
      if (id < 0 || id >= session.engine().info().vocab_size) {
        return fail(Code::kInvalidArgument, "ids",
                    "token id " + std::to_string(id) + " is outside the vocabulary of " +
                        std::to_string(session.engine().info().vocab_size));
      }
      sum.negative_log += negative_log_likelihood(session.logits(static_cast<int64_t>(row)), id);
      ++sum.tokens;
    }
  }
  return sum;
}

}  // namespace legato::cli
