#include "import/hf/rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/log.h"
#include "import/hf/limits.h"

namespace legato::importer {
namespace {

constexpr double kTwoPi = 6.283185307179586476925286766559;

/// Everything that a rope type computes from.
struct RopeFields {
  const Config& config;  ///< of the rope fields
  double theta = 0;
  int64_t dim = 0;
  int64_t max_positions = 0;
  int64_t original_positions = 0;
  bool original_given = false;
};

/// theta^(2i / dim) for each pair, in f32.
std::vector<float> wave_numbers(const RopeFields& fields) {
  std::vector<float> powers;
  const float base = static_cast<float>(fields.theta);
  for (int64_t i = 0; i < fields.dim; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(fields.dim);
    powers.push_back(static_cast<float>(std::pow(static_cast<double>(base), exponent)));
  }
  return powers;
}

std::vector<float> plain_frequencies(const RopeFields& fields) {
  std::vector<float> frequencies = wave_numbers(fields);
  for (float& value : frequencies) value = 1.0f / value;
  return frequencies;
}

double positive(const Config& config, std::string_view name, std::optional<double> otherwise) {
  const double value = config.get_float(name, otherwise);
  if (!(value > 0) || value > 1e9)
    config.refuse(name, fmt::format("expected a number above 0 and up to 1e9, found {}", value));
  return value;
}

std::vector<float> linear_frequencies(const RopeFields& fields) {
  std::vector<float> frequencies = plain_frequencies(fields);
  const float factor = static_cast<float>(positive(fields.config, "factor", std::nullopt));
  for (float& value : frequencies) value /= factor;
  return frequencies;
}

/// Llama 3.1: low frequencies are divided by the factor, high ones kept, those between blended.
std::vector<float> llama3_frequencies(const RopeFields& fields) {
  const float factor = static_cast<float>(positive(fields.config, "factor", std::nullopt));
  const double low = positive(fields.config, "low_freq_factor", std::nullopt);
  const double high = positive(fields.config, "high_freq_factor", std::nullopt);
  if (!(high > low))
    fields.config.refuse("high_freq_factor",
                         fmt::format("expected more than low_freq_factor {}, found {}", low, high));
  const double original = static_cast<double>(fields.original_positions);
  const float low_wavelength = static_cast<float>(original / low);
  const float high_wavelength = static_cast<float>(original / high);
  std::vector<float> frequencies = plain_frequencies(fields);
  for (float& value : frequencies) {
    const float wavelength = static_cast<float>(kTwoPi) / value;
    if (wavelength < high_wavelength) continue;
    if (wavelength > low_wavelength) {
      value /= factor;
      continue;
    }
    const float smooth = (static_cast<float>(original) / wavelength - static_cast<float>(low)) /
                         static_cast<float>(high - low);
    value = (1.0f - smooth) * value / factor + smooth * value;
  }
  return frequencies;
}

/// YaRN (Peng et al. 2023, section 3.2): the pair that makes this many turns over the original
/// length.
double correction_pair(double turns, const RopeFields& fields) {
  const double original = static_cast<double>(fields.original_positions);
  return static_cast<double>(fields.dim) * std::log(original / (turns * kTwoPi)) /
         (2 * std::log(fields.theta));
}

double yarn_magnitude(double factor, double coefficient) {
  return factor <= 1 ? 1.0 : 0.1 * coefficient * std::log(factor) + 1.0;
}

double yarn_factor(const RopeFields& fields) {
  if (fields.config.has("factor")) return positive(fields.config, "factor", std::nullopt);
  return static_cast<double>(fields.max_positions) / static_cast<double>(fields.original_positions);
}

double yarn_scale(const RopeFields& fields, double factor) {
  if (fields.config.has("attention_factor"))
    return positive(fields.config, "attention_factor", std::nullopt);
  const double mscale = fields.config.get_float("mscale", 0);
  const double all_dims = fields.config.get_float("mscale_all_dim", 0);
  if (mscale == 0 || all_dims == 0) return yarn_magnitude(factor, 1);
  return yarn_magnitude(factor, mscale) / yarn_magnitude(factor, all_dims);
}

std::vector<float> yarn_frequencies(const RopeFields& fields, double factor) {
  if (fields.theta <= 1)
    fields.config.refuse("rope_theta", "expected more than 1 for rope type \"yarn\"");
  // Zero stands for the default, as in transformers.
  const auto turns = [&](std::string_view name, double otherwise) {
    const double value = fields.config.get_float(name, otherwise);
    return value == 0 ? otherwise : positive(fields.config, name, otherwise);
  };
  double low = correction_pair(turns("beta_fast", 32), fields);
  double high = correction_pair(turns("beta_slow", 1), fields);
  if (fields.config.get_bool("truncate", true)) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(fields.dim - 1));
  if (low == high) high += 0.001;
  std::vector<float> frequencies = wave_numbers(fields);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const float ramp = std::clamp(
        (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low), 0.0f,
        1.0f);
    const float kept = 1.0f - ramp;
    const float extrapolated = 1.0f / frequencies[i];
    const float interpolated = 1.0f / (static_cast<float>(factor) * frequencies[i]);
    frequencies[i] = interpolated * (1.0f - kept) + extrapolated * kept;
  }
  return frequencies;
}

std::string rope_type(const Config& fields) {
  return fields.get_string("rope_type", fields.get_string("type", "default"));
}

int64_t original_positions(const Config& config, const Config& rope, int64_t max_positions,
                           bool& given) {
  constexpr std::string_view kField = "original_max_position_embeddings";
  given = config.has(kField) || rope.has(kField);
  return config.has(kField) ? config.get_int(kField, {1, kMaxPositions})
                            : rope.get_int(kField, {1, kMaxPositions}, max_positions);
}

/// Fills in frequencies, scale and the context by the type.
void apply_type(const std::string& type, const RopeFields& fields, RopeSettings& rope) {
  rope.max_context = fields.max_positions;
  rope.context_limit = fmt::format("max_position_embeddings {}", fields.max_positions);
  std::vector<float> frequencies;
  if (type == "default") {
    frequencies = plain_frequencies(fields);
  } else if (type == "linear") {
    frequencies = linear_frequencies(fields);
  } else if (type == "llama3") {
    frequencies = llama3_frequencies(fields);
  } else if (type == "yarn") {
    const double factor = yarn_factor(fields);
    frequencies = yarn_frequencies(fields, factor);
    rope.scale = static_cast<float>(yarn_scale(fields, factor));
    const double reach = factor * static_cast<double>(fields.original_positions);
    if (fields.original_given && reach > static_cast<double>(rope.max_context)) {
      rope.max_context = static_cast<int64_t>(std::min(reach, static_cast<double>(kMaxPositions)));
      rope.context_limit = fmt::format("rope type \"yarn\" with factor {} over {} positions",
                                       factor, fields.original_positions);
    }
  } else if (type == "dynamic") {
    // Beyond the original length all frequencies change with every new token, the cached keys'
    // too: no cache can follow that.
    positive(fields.config, "factor", std::nullopt);
    frequencies = plain_frequencies(fields);
    rope.max_context = std::min(fields.max_positions, fields.original_positions);
    rope.context_limit = fmt::format(
        "rope type \"dynamic\" equals plain rope only up to {} positions", rope.max_context);
  } else {
    fields.config.unsupported(
        "rope_type", fmt::format("\"{}\" is not supported; known: default, dynamic, linear, "
                                 "llama3, yarn",
                                 type.substr(0, 60)));
  }
  for (const float value : frequencies) {
    if (!std::isfinite(value)) fields.config.refuse("rope_theta", "gives infinite frequencies");
    rope.inv_freq.push_back(value);
  }
}

}  // namespace

RopeSettings read_rope(const Config& config, const RopeQuery& query) {
  std::optional<Config> nested = config.get_object("rope_scaling");
  const std::optional<Config> parameters = config.get_object("rope_parameters");
  if (!nested.has_value() || nested->unread().empty()) nested = parameters;
  const Config& rope = nested.has_value() ? *nested : config;
  for (const std::string_view layer_type : {"full_attention", "sliding_attention"})
    if (nested.has_value() && nested->is_object(layer_type))
      nested->unsupported(layer_type, "rope settings by layer type are not supported");

  const auto from_either = [&](std::string_view inside, const std::string& beside,
                               double otherwise) {
    return nested.has_value() && nested->has(inside) ? nested->get_float(inside)
                                                     : config.get_float(beside, otherwise);
  };
  RopeFields fields{.config = rope, .max_positions = query.max_position_embeddings};
  fields.theta = from_either("rope_theta", query.theta_field, 10000.0);
  if (!(fields.theta > 0) || fields.theta > 1e30)
    rope.refuse("rope_theta",
                fmt::format("expected above 0 and up to 1e30, found {}", fields.theta));
  const double partial =
      from_either("partial_rotary_factor", query.partial_field, query.partial_rotary_factor);
  if (!(partial > 0 && partial <= 1))
    rope.refuse("partial_rotary_factor",
                fmt::format("expected above 0 and up to 1, found {}", partial));
  if (partial != 1 && !query.allow_partial)
    rope.unsupported("partial_rotary_factor",
                     fmt::format("only 1 is supported here, found {}", partial));
  fields.dim = static_cast<int64_t>(static_cast<double>(query.head_dim) * partial);
  if (fields.dim < 2 || fields.dim % 2 != 0)
    config.refuse("head_dim", fmt::format("rope needs an even number of dimensions, found {} of {}",
                                          fields.dim, query.head_dim));
  fields.original_positions =
      original_positions(config, rope, query.max_position_embeddings, fields.original_given);
  RopeSettings settings;
  settings.rotary_dim = fields.dim;
  apply_type(nested.has_value() ? rope_type(*nested) : "default", fields, settings);
  if (nested.has_value())
    for (const std::string& name : nested->unread())
      log_warning(fmt::format("{}: field \"{}\" has no meaning for this rope type and is ignored",
                              nested->where(), name));
  return settings;
}

}  // namespace legato::importer
