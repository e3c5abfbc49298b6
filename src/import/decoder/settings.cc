#include "import/decoder/settings.h"

#include <fmt/format.h>

#include <array>

#include "import/hf/limits.h"

namespace legato::importer {
namespace {

struct ActivationName {
  std::string_view theirs;
  std::string_view ours;
};
constexpr std::array<ActivationName, 9> kActivations = {{{"silu", "silu"},
                                                         {"swish", "silu"},
                                                         {"gelu", "gelu"},
                                                         {"gelu_python", "gelu"},
                                                         {"gelu_new", "gelu_tanh"},
                                                         {"gelu_fast", "gelu_tanh"},
                                                         {"gelu_pytorch_tanh", "gelu_tanh"},
                                                         {"gelu_python_tanh", "gelu_tanh"},
                                                         {"relu", "relu"}}};

constexpr std::string_view kForeignSettings[] = {
    "quantization_config",
    "compression_config",
    "is_encoder_decoder",
    "num_local_experts",
    "num_experts",
    "n_routed_experts",
    "attn_logit_softcapping",
    "final_logit_softcapping",
    "query_pre_attn_scalar",
    "alibi",
    "clip_qkv",
    "use_qk_norm",
    "qk_layernorm",
    "no_rope_layers",
    "attn_temperature_tuning",
    "attention_chunk_size",
    "parallel_attn",
    "use_mup_scaling",
    "kv_lora_rank",
    "vision_config",
    "attn_output_gate",
};
/// Multipliers that other families have; 1 changes nothing.
constexpr std::string_view kForeignMultipliers[] = {
    "embedding_multiplier", "logits_scaling", "attention_multiplier", "residual_multiplier",
    "logit_scale",          "scale_emb",      "scale_depth",          "dim_model_base"};

}  // namespace

std::string activation_of(const Config& config, std::string_view field,
                          const std::string& otherwise) {
  const std::string name = config.get_string(field, otherwise);
  std::string known;
  for (const ActivationName& item : kActivations) {
    if (item.theirs == name) return std::string(item.ours);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", item.theirs);
  }
  config.unsupported(field, fmt::format("activation \"{}\" is not supported; known: {}",
                                        name.substr(0, 60), known));
}

void refuse_foreign_settings(const Config& config) {
  for (const std::string_view name : kForeignSettings) config.refuse_if_set(name);
  for (const std::string_view name : kForeignMultipliers) {
    const double value = config.get_float(name, 1.0);
    if (value != 1.0) config.unsupported(name, fmt::format("only 1 is supported, found {}", value));
  }
}

AttentionShape read_attention_shape(const Config& config, int64_t width, int64_t head_dim) {
  AttentionShape shape;
  shape.heads = config.get_int("num_attention_heads", kHeadRange);
  shape.kv_heads = config.get_int("num_key_value_heads", kHeadRange, shape.heads);
  if (shape.heads % shape.kv_heads != 0)
    config.refuse("num_key_value_heads", fmt::format("{} doesn't divide {} num_attention_heads",
                                                     shape.kv_heads, shape.heads));
  if (head_dim == 0 && !config.has("head_dim")) {
    if (width % shape.heads != 0)
      config.refuse("num_attention_heads",
                    fmt::format("{} doesn't divide hidden_size {}", shape.heads, width));
    head_dim = width / shape.heads;
  }
  shape.head_dim = config.get_int("head_dim", kHeadDimRange, head_dim);
  if (shape.head_dim > kHeadDimRange.max)
    config.refuse("num_attention_heads", fmt::format("heads of {} dimensions, at most {}",
                                                     shape.head_dim, kHeadDimRange.max));
  if (shape.heads * shape.head_dim > kWidthRange.max)
    config.refuse("head_dim", fmt::format("{} heads of {} are wider than {}", shape.heads,
                                          shape.head_dim, kWidthRange.max));
  return shape;
}

AttentionShape read_full_attention_shape(const Config& config, int64_t width,
                                         std::string_view family) {
  const AttentionShape shape = read_attention_shape(config, width);
  const std::string message = fmt::format("is not supported by {}", family);
  if (shape.kv_heads != shape.heads) config.unsupported("num_key_value_heads", message);
  if (shape.heads * shape.head_dim != width) config.unsupported("head_dim", message);
  return shape;
}

int64_t read_layers(const Config& config, std::string_view field, int64_t width) {
  const int64_t layers = config.get_int(field, kLayerRange);
  if (layers * width > kMaxLayerWidth)
    config.refuse(field, fmt::format("{} layers of width {} are more than {} in all", layers, width,
                                     kMaxLayerWidth));
  return layers;
}

std::vector<int64_t> read_layer_windows(const Config& config, int64_t layers) {
  const bool sliding = config.get_bool("use_sliding_window", false);
  const int64_t window = config.get_int("sliding_window", {0, kMaxPositions}, 0);
  const int64_t first_sliding = config.get_int("max_window_layers", {0, kMaxPositions}, 28);
  const bool usable = sliding && window != 0;
  if (sliding && !config.has("sliding_window"))
    config.refuse("use_sliding_window", "is true, but sliding_window is absent");
  std::vector<std::string> types = config.get_strings("layer_types");
  if (types.empty())
    for (int64_t layer = 0; layer < layers; ++layer)
      types.push_back(usable && layer >= first_sliding ? "sliding_attention" : "full_attention");
  if (static_cast<int64_t>(types.size()) != layers)
    config.refuse("layer_types", fmt::format("has {} entries, expected {}", types.size(), layers));
  std::vector<int64_t> windows;
  for (const std::string& type : types) {
    if (type != "full_attention" && type != "sliding_attention")
      config.unsupported("layer_types", fmt::format("\"{}\" is not supported; known: "
                                                    "full_attention, sliding_attention",
                                                    type.substr(0, 60)));
    const bool slides = type == "sliding_attention";
    if (slides && !usable)
      config.refuse("layer_types",
                    "has sliding_attention, but use_sliding_window and "
                    "sliding_window don't give a window");
    windows.push_back(slides ? window : 0);
  }
  return windows;
}

}  // namespace legato::importer
