#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace legato::importer {

/// Sampling defaults that the model's authors recommend. What the file doesn't say is off.
struct GenerationDefaults {
  bool do_sample = false;
  double temperature = 1.0;
  int64_t top_k = 0;  ///< 0: off
  double top_p = 1.0;
  double min_p = 0.0;
  double repetition_penalty = 1.0;
  bool operator==(const GenerationDefaults& other) const = default;
};

/// What the serving half needs to know of a model beside its graph.
struct ModelInfo {
  std::string architecture;  ///< model_type, for example "llama"
  int64_t vocab_size = 0;
  int64_t max_context = 0;  ///< positions that the model can tell apart
  /// What sets max_context, for the message that refuses a longer one.
  std::string context_limit;
  std::vector<int32_t> eos_ids;  ///< of config.json and generation_config.json, sorted
  std::optional<int32_t> bos_id;
  std::optional<int32_t> pad_id;
  GenerationDefaults generation;
};

}  // namespace legato::importer
