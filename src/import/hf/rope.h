#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/hf/config.h"

namespace legato::importer {

/// Rotary position embedding as the RotaryTable op takes it.
struct RopeSettings {
  int64_t rotary_dim = 0;        ///< even; the first dimensions of each head
  std::vector<double> inv_freq;  ///< rotary_dim / 2 values, each exact in f32
  double scale = 1.0;            ///< factor on cosine and sine
  int64_t max_context = 0;
  std::string context_limit;  ///< what sets max_context
};

struct RopeQuery {
  int64_t head_dim = 0;
  int64_t max_position_embeddings = 0;
  /// Share of each head that is rotated when the file doesn't say; only gpt_neox has another
  /// than 1.
  double partial_rotary_factor = 1.0;
  bool allow_partial = false;
  std::string theta_field = "rope_theta";
  std::string partial_field = "partial_rotary_factor";
};

/// Reads the settings in either style: rope_theta and rope_scaling beside each other (transformers
/// 4) or all in rope_parameters (transformers 5). Types: default, linear, llama3, yarn, and dynamic
/// up to the original length; others are refused by name. Formulas: transformers'
/// modeling_rope_utils, computed in f32 as it does.
RopeSettings read_rope(const Config& config, const RopeQuery& query);

}  // namespace legato::importer
