#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/interrupt.h"
#include "legato/sampling.h"
#include "legato/session.h"
#include "legato/text.h"

namespace legato::cli {

struct GenerateOptions {
  SamplingParams sampling;
  int64_t max_tokens = 0;
  std::vector<std::string> stop_strings;
  std::optional<Tokenizer> tokenizer;  ///< none: ids only
  /// Told each piece of text as soon as it is certain.
  std::function<void(std::string_view)> on_text;
  InterruptGuard* interrupt = nullptr;  ///< stops the answer when Ctrl-C is pressed
};

enum class FinishReason { kStop, kLength, kContextFull, kInterrupted };
std::string_view finish_reason_name(FinishReason reason);

struct Generation {
  std::vector<int32_t> ids;     ///< the end token included
  std::vector<Sample> samples;  ///< of each id, when log probabilities were asked
  std::string text;
  FinishReason reason = FinishReason::kLength;
  int64_t prompt_tokens = 0;  ///< that were computed, not reused
  double prefill_seconds = 0;
  double decode_seconds = 0;
};

/// Answers a prompt: what the sequence holds already must be a beginning of it; the rest is
/// computed. Throws Error for an empty prompt, one that doesn't fit, or ids outside the vocabulary.
Generation generate(Session& session, Sequence& sequence, std::span<const int32_t> prompt,
                    const GenerateOptions& options);

}  // namespace legato::cli
