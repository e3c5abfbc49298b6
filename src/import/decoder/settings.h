#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/arch_registry.h"
#include "import/decoder/decoder_builder.h"
#include "import/hf/config.h"

namespace legato::importer {

/// The op attribute (of ir::gating_activations()) for a name that transformers gives an activation;
/// others are refused by name.
std::string activation_of(const Config& config, std::string_view field,
                          const std::string& otherwise);

/// Refuses settings of other families that would change the arithmetic of any decoder, such as
/// quantised weights, multipliers and experts.
void refuse_foreign_settings(const Config& config);

/// Reads heads, key/value heads and head size and judges them against each other. `head_dim` is
/// the head size when the file has none; 0: width / heads.
AttentionShape read_attention_shape(const Config& config, int64_t width, int64_t head_dim = 0);
/// The same for a family whose heads share no keys and make up the width.
AttentionShape read_full_attention_shape(const Config& config, int64_t width,
                                         std::string_view family);

/// Reads the number of layers and judges it with the width.
int64_t read_layers(const Config& config, std::string_view field, int64_t width);

/// Attention window of each layer, 0 for full attention, from sliding_window,
/// use_sliding_window, max_window_layers and layer_types as qwen2 and qwen3 use them.
std::vector<int64_t> read_layer_windows(const Config& config, int64_t layers);

}  // namespace legato::importer
