#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "legato/engine.h"
#include "legato/sampling.h"

namespace legato::cli {

/// The flags about how tokens are chosen. What isn't given is as the model's authors recommend.
class SamplingFlags {
 public:
  void declare(OptionSet& options);
  /// --logprobs, for a command that can print them.
  void declare_logprobs(OptionSet& options);
  /// `--temperature 0` is plain argmax: the model's own penalties are then off. Without --seed a
  /// random one is drawn.
  SamplingParams params(const EngineInfo& info) const;

  const std::vector<std::string>& stop_strings() const { return stop_; }
  bool ignore_eos() const { return ignore_eos_; }
  bool wants_logprobs() const { return logprobs_.has_value(); }

 private:
  std::optional<double> temperature_;
  std::optional<int64_t> top_k_;
  std::optional<double> top_p_;
  std::optional<double> min_p_;
  std::optional<double> repetition_penalty_;
  std::optional<double> presence_penalty_;
  std::optional<double> frequency_penalty_;
  std::optional<int64_t> seed_;
  std::optional<int64_t> min_tokens_;
  std::optional<int64_t> logprobs_;
  std::vector<std::pair<int32_t, double>> logit_bias_;
  std::vector<std::string> stop_;
  bool ignore_eos_ = false;
};

}  // namespace legato::cli
