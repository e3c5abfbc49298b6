#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/arch_registry.h"
#include "import/decoder/decoder_builder.h"
#include "import/hf/rope.h"

namespace legato::importer {

/// The family that Llama began: pre-RmsNorm, rotary positions, gated MLP. Its relatives differ in
/// these settings only.
struct LlamaSettings {
  int64_t vocab = 0;
  int64_t width = 0;
  int64_t layers = 0;
  int64_t mlp_width = 0;
  AttentionShape attention;
  double epsilon = 0;
  std::string activation;
  bool tied = false;
  bool qkv_bias = false;
  bool output_bias = false;  ///< of o_proj
  bool mlp_bias = false;
  bool head_norms = false;       ///< RmsNorm of each query and key head before rope
  std::vector<int64_t> windows;  ///< a layer each; empty: full attention
  RopeSettings rope;
};

/// The fields that all relatives share. `head_dim` is the default when the file names none; 0:
/// width / heads.
LlamaSettings read_llama_settings(const Config& config, int64_t default_context,
                                  int64_t head_dim = 0);

ArchModel build_llama_decoder(const Config& config, WeightSource& weights,
                              const LlamaSettings& settings);

}  // namespace legato::importer
