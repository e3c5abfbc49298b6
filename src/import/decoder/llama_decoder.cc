#include "import/decoder/llama_decoder.h"

#include <fmt/format.h>

#include <cmath>

#include "import/decoder/settings.h"
#include "import/hf/limits.h"

namespace legato::importer {
namespace {

using ir::kNone;
using ir::ValueId;

/// What every layer reads.
struct LayerContext {
  DecoderBuilder& build;
  const LlamaSettings& settings;
  NormSettings norm;
  ValueId rope_table = kNone;
};

ValueId attention_branch(const LayerContext& context, const std::string& layer, ValueId x,
                         int64_t window) {
  DecoderBuilder& build = context.build;
  const LlamaSettings& s = context.settings;
  const std::string name = layer + ".self_attn";
  const int64_t query_width = s.attention.heads * s.attention.head_dim;
  const int64_t kv_width = s.attention.kv_heads * s.attention.head_dim;
  ValueId q = build.linear({name + ".q_proj", query_width, s.width, s.qkv_bias}, x);
  ValueId k = build.linear({name + ".k_proj", kv_width, s.width, s.qkv_bias}, x);
  const ValueId v = build.linear({name + ".v_proj", kv_width, s.width, s.qkv_bias}, x);
  if (s.head_norms) {
    q = build.head_norm(name + ".q_norm", q, s.attention.head_dim, s.epsilon);
    k = build.head_norm(name + ".k_norm", k, s.attention.head_dim, s.epsilon);
  }
  q = build.rope(name + ".q_rope", q, context.rope_table, s.attention.head_dim, s.rope.rotary_dim);
  k = build.rope(name + ".k_rope", k, context.rope_table, s.attention.head_dim, s.rope.rotary_dim);
  const double scale = 1.0 / std::sqrt(static_cast<double>(s.attention.head_dim));
  const ValueId attended =
      build.attention(name + ".attention", {q, k, v}, s.attention, scale, window);
  return build.linear({name + ".o_proj", s.width, query_width, s.output_bias}, attended);
}

ValueId mlp_branch(const LayerContext& context, const std::string& layer, ValueId x) {
  DecoderBuilder& build = context.build;
  const LlamaSettings& s = context.settings;
  const std::string name = layer + ".mlp";
  const ValueId gate = build.matrix(name + ".gate_proj.weight", s.mlp_width, s.width);
  const ValueId up = build.matrix(name + ".up_proj.weight", s.mlp_width, s.width);
  const ValueId gate_bias = build.bias(name + ".gate_proj", s.mlp_width, s.mlp_bias);
  const ValueId up_bias = build.bias(name + ".up_proj", s.mlp_width, s.mlp_bias);
  const ValueId hidden =
      build.graph().add("GatedMlp", name + ".gate_up", {x, gate, up, gate_bias, up_bias},
                        {{"features", s.mlp_width}, {"activation", s.activation}});
  return build.linear({name + ".down_proj", s.width, s.mlp_width, s.mlp_bias}, hidden);
}

}  // namespace

LlamaSettings read_llama_settings(const Config& config, int64_t default_context, int64_t head_dim) {
  refuse_foreign_settings(config);
  LlamaSettings s;
  s.vocab = config.get_int("vocab_size", kVocabRange);
  s.width = config.get_int("hidden_size", kWidthRange);
  s.layers = read_layers(config, "num_hidden_layers", s.width);
  s.mlp_width = config.get_int("intermediate_size", kHiddenRange);
  s.attention = read_attention_shape(config, s.width, head_dim);
  s.epsilon = config.get_float_in("rms_norm_eps", kEpsilonRange, 1e-6);
  s.activation = activation_of(config, "hidden_act", "silu");
  s.tied = config.get_bool("tie_word_embeddings", false);
  const int64_t context =
      config.get_int("max_position_embeddings", kPositionRange, default_context);
  s.rope = read_rope(config, {s.attention.head_dim, context});
  return s;
}

ArchModel build_llama_decoder(const Config& config, WeightSource& weights, const LlamaSettings& s) {
  DecoderBuilder build(weights);
  const std::string prefix = weights.choose_prefix({"model.", ""}, "embed_tokens.weight");
  LayerContext context{build, s, {.epsilon = s.epsilon}};
  const std::string embedding = prefix + "embed_tokens.weight";
  ValueId hidden =
      build.graph().add("Embedding", prefix + "embed_tokens",
                        {build.input_ids(), build.matrix(embedding, s.vocab, s.width)});
  context.rope_table = build.rope_table(s.rope);
  for (int64_t i = 0; i < s.layers; ++i) {
    const std::string layer = fmt::format("{}layers.{}", prefix, i);
    const int64_t window = s.windows.empty() ? 0 : s.windows[static_cast<size_t>(i)];
    const ValueId attention_input =
        build.norm(layer + ".input_layernorm", hidden, s.width, context.norm);
    hidden = build.add(layer + ".attention_residual", hidden,
                       attention_branch(context, layer, attention_input, window));
    const ValueId mlp_input =
        build.norm(layer + ".post_attention_layernorm", hidden, s.width, context.norm);
    hidden = build.add(layer + ".mlp_residual", hidden, mlp_branch(context, layer, mlp_input));
  }
  return build.finish(config, hidden,
                      {.final_norm = prefix + "norm",
                       .norm = context.norm,
                       .width = s.width,
                       .vocab = s.vocab,
                       .embedding = embedding,
                       .tied = s.tied,
                       .max_context = s.rope.max_context,
                       .context_limit = s.rope.context_limit});
}

}  // namespace legato::importer
