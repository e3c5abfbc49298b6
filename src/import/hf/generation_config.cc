#include "import/hf/generation_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/log.h"

namespace legato::importer {
namespace {

constexpr IntRange kAnyId{std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};

bool in_vocabulary(const Config& config, const ModelInfo& info, std::string_view field,
                   int64_t id) {
  if (id >= 0 && id < info.vocab_size) return true;
  // -1 is a common way to write "none".
  if (id != -1)
    log_warning(fmt::format("{}: {} {} is outside the vocabulary of {} and ignored", config.where(),
                            field, id, info.vocab_size));
  return false;
}

void read_one_id(const Config& config, const ModelInfo& info, std::string_view field,
                 std::optional<int32_t>& id) {
  const std::vector<int64_t> ids = config.get_ints(field, kAnyId);
  if (ids.size() > 1) config.refuse(field, fmt::format("expected one id, found {}", ids.size()));
  if (!ids.empty() && in_vocabulary(config, info, field, ids[0])) id = static_cast<int32_t>(ids[0]);
}

/// Settings of transformers' generate() that aren't implemented, with the value that switches each
/// off.
struct Switch {
  std::string_view field;
  double off;
};
constexpr Switch kNumericSwitches[] = {{"num_beams", 1},
                                       {"num_beam_groups", 1},
                                       {"typical_p", 1},
                                       {"epsilon_cutoff", 0},
                                       {"eta_cutoff", 0},
                                       {"no_repeat_ngram_size", 0},
                                       {"encoder_repetition_penalty", 1},
                                       {"penalty_alpha", 0},
                                       {"guidance_scale", 1},
                                       {"top_h", 1}};
constexpr std::string_view kStructuredSwitches[] = {
    "bad_words_ids",      "suppress_tokens",     "begin_suppress_tokens", "sequence_bias",
    "forced_decoder_ids", "watermarking_config", "force_words_ids",       "constraints"};

void warn_of_unsupported(const Config& config) {
  std::string named;
  const auto add = [&](std::string_view field) {
    named += fmt::format("{}{}", named.empty() ? "" : ", ", field);
  };
  for (const Switch& item : kNumericSwitches)
    if (config.get_float(item.field, item.off) != item.off) add(item.field);
  for (const std::string_view field : kStructuredSwitches)
    if (config.has(field)) add(field);
  if (!named.empty())
    log_warning(fmt::format("{}: ignored, since not supported: {}", config.where(), named));
}

/// A setting that no sampler can follow is no reason to refuse the model.
double read_setting(const Config& config, std::string_view field, FloatRange range,
                    double otherwise) {
  const double value = config.get_float(field, otherwise);
  if (value >= range.min && value <= range.max) return value;
  log_warning(fmt::format("{}: \"{}\" is {}, expected {} to {}, and ignored", config.where(), field,
                          value, range.min, range.max));
  return otherwise;
}

/// -1 is another spelling of "off".
int64_t read_top_k(const Config& config, int64_t otherwise) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t value = config.get_int(
      "top_k", {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()},
      otherwise);
  if (value == -1) return 0;
  if (value >= 0 && value <= kMost) return value;
  log_warning(fmt::format("{}: \"top_k\" is {}, expected 0 to {}, and ignored", config.where(),
                          value, kMost));
  return otherwise;
}

}  // namespace

void read_special_ids(const Config& config, ModelInfo& info) {
  for (const int64_t id : config.get_ints("eos_token_id", kAnyId))
    if (in_vocabulary(config, info, "eos_token_id", id))
      info.eos_ids.push_back(static_cast<int32_t>(id));
  std::sort(info.eos_ids.begin(), info.eos_ids.end());
  info.eos_ids.erase(std::unique(info.eos_ids.begin(), info.eos_ids.end()), info.eos_ids.end());
  read_one_id(config, info, "bos_token_id", info.bos_id);
  read_one_id(config, info, "pad_token_id", info.pad_id);
}

GenerationDefaults read_generation_defaults(const Config& config) {
  constexpr double kMax = std::numeric_limits<float>::max();
  GenerationDefaults defaults;
  defaults.do_sample = config.get_bool("do_sample", defaults.do_sample);
  defaults.temperature = read_setting(config, "temperature", {0, kMax}, defaults.temperature);
  defaults.top_k = read_top_k(config, defaults.top_k);
  defaults.top_p = read_setting(config, "top_p", {1e-6, 1}, defaults.top_p);
  defaults.min_p = read_setting(config, "min_p", {0, 1}, defaults.min_p);
  defaults.repetition_penalty =
      read_setting(config, "repetition_penalty", {1e-6, kMax}, defaults.repetition_penalty);
  warn_of_unsupported(config);
  return defaults;
}

}  // namespace legato::importer
