#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace legato {

/// Sampling defaults that the model's authors recommend (generation_config.json). What the file
/// doesn't say is off.
struct GenerationDefaults {
  bool do_sample = false;
  double temperature = 1.0;
  int64_t top_k = 0;  ///< 0: off
  double top_p = 1.0;
  double min_p = 0.0;
  double repetition_penalty = 1.0;
  bool operator==(const GenerationDefaults& other) const = default;
};

/// What the serving half needs to know of a model beside its graph: found by import, kept in the
/// engine.
struct ModelInfo {
  std::string architecture;  ///< model_type, for example "llama"
  int64_t vocab_size = 0;
  int64_t max_context = 0;       ///< positions that the model can tell apart
  std::vector<int32_t> eos_ids;  ///< of all files that name some, sorted
  std::optional<int32_t> bos_id;
  std::optional<int32_t> pad_id;
  GenerationDefaults generation;
  bool operator==(const ModelInfo& other) const = default;
};

}  // namespace legato
