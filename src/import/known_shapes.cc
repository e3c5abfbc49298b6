#include "import/known_shapes.h"

#include <array>

namespace legato::importer {
namespace {

struct KnownShape {
  std::string_view name;
  std::string_view config;
};

constexpr std::array<KnownShape, 10> kShapes = {{
    {"gpt2", R"({"model_type": "gpt2", "vocab_size": 50257, "n_positions": 1024, "n_embd": 768,
      "n_layer": 12, "n_head": 12, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
      "bos_token_id": 50256, "eos_token_id": 50256, "torch_dtype": "float32"})"},
    {"llama-2-7b", R"({"model_type": "llama", "vocab_size": 32000, "hidden_size": 4096,
      "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 32, "max_position_embeddings": 4096, "rms_norm_eps": 1e-5,
      "hidden_act": "silu", "tie_word_embeddings": false, "bos_token_id": 1, "eos_token_id": 2,
      "torch_dtype": "float16"})"},
    {"llama-3-8b", R"({"model_type": "llama", "vocab_size": 128256, "hidden_size": 4096,
      "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5,
      "rope_theta": 500000.0, "hidden_act": "silu", "tie_word_embeddings": false,
      "bos_token_id": 128000, "eos_token_id": 128001, "torch_dtype": "bfloat16"})"},
    {"llama-3.2-1b", R"({"model_type": "llama", "vocab_size": 128256, "hidden_size": 2048,
      "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32,
      "num_key_value_heads": 8, "head_dim": 64, "max_position_embeddings": 131072,
      "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "rope_scaling": {"factor": 32.0,
      "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 8192,
      "rope_type": "llama3"}, "hidden_act": "silu", "tie_word_embeddings": true,
      "bos_token_id": 128000, "eos_token_id": 128001, "torch_dtype": "bfloat16"})"},
    {"mistral-7b", R"({"model_type": "mistral", "vocab_size": 32000, "hidden_size": 4096,
      "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "max_position_embeddings": 32768, "sliding_window": 4096,
      "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
      "tie_word_embeddings": false, "bos_token_id": 1, "eos_token_id": 2,
      "torch_dtype": "bfloat16"})"},
    {"pythia-160m", R"({"model_type": "gpt_neox", "vocab_size": 50304, "hidden_size": 768,
      "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
      "max_position_embeddings": 2048, "layer_norm_eps": 1e-5, "rotary_pct": 0.25,
      "rotary_emb_base": 10000, "hidden_act": "gelu", "use_parallel_residual": true,
      "tie_word_embeddings": false, "bos_token_id": 0, "eos_token_id": 0,
      "torch_dtype": "float16"})"},
    {"qwen2.5-0.5b", R"({"model_type": "qwen2", "vocab_size": 151936, "hidden_size": 896,
      "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14,
      "num_key_value_heads": 2, "max_position_embeddings": 32768, "rms_norm_eps": 1e-6,
      "rope_theta": 1000000.0, "hidden_act": "silu", "use_sliding_window": false,
      "tie_word_embeddings": true, "bos_token_id": 151643, "eos_token_id": 151643,
      "torch_dtype": "bfloat16"})"},
    {"qwen3-0.6b", R"({"model_type": "qwen3", "vocab_size": 151936, "hidden_size": 1024,
      "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16,
      "num_key_value_heads": 8, "head_dim": 128, "max_position_embeddings": 40960,
      "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "hidden_act": "silu",
      "tie_word_embeddings": true, "bos_token_id": 151643, "eos_token_id": 151645,
      "torch_dtype": "bfloat16"})"},
    {"smollm2-135m", R"({"model_type": "llama", "vocab_size": 49152, "hidden_size": 576,
      "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9,
      "num_key_value_heads": 3, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5,
      "rope_theta": 100000.0, "hidden_act": "silu", "tie_word_embeddings": true,
      "bos_token_id": 0, "eos_token_id": 0, "torch_dtype": "bfloat16"})"},
    {"tinyllama-1.1b", R"({"model_type": "llama", "vocab_size": 32000, "hidden_size": 2048,
      "intermediate_size": 5632, "num_hidden_layers": 22, "num_attention_heads": 32,
      "num_key_value_heads": 4, "max_position_embeddings": 2048, "rms_norm_eps": 1e-5,
      "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": false,
      "bos_token_id": 1, "eos_token_id": 2, "torch_dtype": "bfloat16"})"},
}};

}  // namespace

std::string_view known_shape(std::string_view name) {
  for (const KnownShape& shape : kShapes)
    if (shape.name == name) return shape.config;
  return {};
}

std::string known_shape_names() {
  std::string names;
  for (const KnownShape& shape : kShapes) {
    if (!names.empty()) names += ", ";
    names += shape.name;
  }
  return names;
}

}  // namespace legato::importer
