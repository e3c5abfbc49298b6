#include "cli/sampling_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>

#include "sampling/params.h"

namespace legato::cli {
namespace {

constexpr int64_t kMaxId = std::numeric_limits<int32_t>::max();
/// Smallest share or factor that a flag takes: zero would leave no token at all.
constexpr double kSmallest = 1e-6;
constexpr int64_t kRandomSeed = -1;

/// "ID:V,ID:V".
std::vector<std::pair<int32_t, double>> parse_logit_bias(const std::string& text) {
  std::vector<std::pair<int32_t, double>> list;
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> fields = split(part, ':');
    if (fields.size() != 2) {
      throw UsageError(fmt::format("expected ID:VALUE,..., got \"{}\"", part));
    }
    const int64_t id = parse_integer(fields[0], {0, kMaxId});
    list.emplace_back(static_cast<int32_t>(id),
                      parse_number(fields[1], {-sampling::kMaxLogitBias, sampling::kMaxLogitBias}));
  }
  return list;
}

uint64_t random_seed() {
  std::random_device device;
  // Kept below 2^53, so that a JSON reader that only knows doubles gives it back unchanged.
  return (uint64_t{device()} << 21) ^ device();
}

}  // namespace

void SamplingFlags::declare(OptionSet& options) {
  OptionSpec& temperature =
      options.number("--temperature", "T", &temperature_, {0.0, sampling::kMaxTemperature},
                     "0: always the most likely token; default: the model's recommendation");
  temperature.aliases = {"--temp"};
  options.integer("--seed", "S", &seed_, {kRandomSeed, std::numeric_limits<int64_t>::max()},
                  "equal seeds give equal texts; default, and -1: a random one");
  options.integer("--top-k", "K", &top_k_, {-1, kMaxId},
                  "choose among the K likeliest; 0 or -1: off");
  options.number("--top-p", "P", &top_p_, {kSmallest, 1.0},
                 "choose among the likeliest tokens that together have probability P");
  options.number("--min-p", "P", &min_p_, {0.0, 1.0},
                 "drop tokens below P times the likeliest one's probability");
  options.number("--repetition-penalty", "R", &repetition_penalty_,
                 {kSmallest, sampling::kMaxRepetitionPenalty},
                 "make tokens of prompt and output less likely; 1: off");
  options.number("--presence-penalty", "P", &presence_penalty_,
                 {-sampling::kMaxCountPenalty, sampling::kMaxCountPenalty},
                 "subtracted once from tokens of the output");
  options.number("--frequency-penalty", "F", &frequency_penalty_,
                 {-sampling::kMaxCountPenalty, sampling::kMaxCountPenalty},
                 "subtracted for each time that a token was put out");
  OptionSpec bias{.name = "--logit-bias", .value = "ID:V,..."};
  bias.doc = "added to the logits of these tokens";
  bias.assign = [this](const std::string& text) { logit_bias_ = parse_logit_bias(text); };
  options.add(bias);
  options.texts("--stop", "TEXT", &stop_, "end before this text; may be given several times");
  options.integer("--min-tokens", "N", &min_tokens_, kCountOrZero,
                  "no end token before so many tokens");
  options.flag("--ignore-eos", &ignore_eos_, "go on past end tokens");
}

void SamplingFlags::declare_logprobs(OptionSet& options) {
  options.integer("--logprobs", "K", &logprobs_, {0, sampling::kMaxLogprobs},
                  "report log probabilities of each token and its K likeliest rivals (--json)");
}

SamplingParams SamplingFlags::params(const EngineInfo& info) const {
  SamplingParams params = info.generation;
  if (temperature_) {
    params.temperature = *temperature_;
    if (*temperature_ == 0.0) params.repetition_penalty = 1.0;
  }
  if (top_k_) params.top_k = std::max<int64_t>(*top_k_, 0);
  if (top_p_) params.top_p = *top_p_;
  if (min_p_) params.min_p = *min_p_;
  if (repetition_penalty_) params.repetition_penalty = *repetition_penalty_;
  if (presence_penalty_) params.presence_penalty = *presence_penalty_;
  if (frequency_penalty_) params.frequency_penalty = *frequency_penalty_;
  if (min_tokens_) params.min_tokens = *min_tokens_;
  if (logprobs_) params.num_logprobs = static_cast<int32_t>(*logprobs_);
  params.logit_bias = logit_bias_;
  const bool fixed = seed_ && *seed_ != kRandomSeed;
  params.seed = fixed ? static_cast<uint64_t>(*seed_) : random_seed();
  if (ignore_eos_) params.stop_ids.clear();
  return params;
}

}  // namespace legato::cli
