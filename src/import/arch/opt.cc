#include <fmt/format.h>

#include <cmath>

#include "import/arch_registry.h"
#include "import/decoder/decoder_builder.h"
#include "import/decoder/settings.h"
#include "import/hf/limits.h"

namespace legato::importer {
namespace {

using ir::ValueId;

/// Rows of the position table before the one for position 0.
constexpr int64_t kPositionOffset = 2;

struct OptSettings {
  int64_t vocab = 0, positions = 0, width = 0, layers = 0, inner = 0;
  AttentionShape attention;
  NormSettings norm;
  std::string activation;
  bool bias = true;
  bool tied = true;
};

OptSettings read_settings(const Config& config) {
  refuse_foreign_settings(config);
  OptSettings s;
  s.vocab = config.get_int("vocab_size", kVocabRange);
  s.positions = config.get_int("max_position_embeddings", kPositionRange);
  s.width = config.get_int("hidden_size", kWidthRange);
  s.layers = read_layers(config, "num_hidden_layers", s.width);
  s.inner = config.get_int("ffn_dim", kHiddenRange);
  s.attention = read_full_attention_shape(config, s.width, "opt");
  const int64_t embedding_width = config.get_int("word_embed_proj_dim", kWidthRange, s.width);
  if (embedding_width != s.width)
    config.unsupported(
        "word_embed_proj_dim",
        fmt::format("only hidden_size {} is supported, found {}", s.width, embedding_width));
  config.expect_bool("do_layer_norm_before", true, true);
  config.expect_bool("_remove_final_layer_norm", false, false);
  s.bias = config.get_bool("enable_bias", true);
  const bool affine = config.get_bool("layer_norm_elementwise_affine", true);
  s.norm = {.layer_norm = true, .bias = affine, .weight = affine, .epsilon = 1e-5};
  s.activation = activation_of(config, "activation_function", "relu");
  s.tied = config.get_bool("tie_word_embeddings", true);
  return s;
}

ValueId decoder_layer(DecoderBuilder& build, const OptSettings& s, const std::string& layer,
                      ValueId hidden) {
  const std::string attn = layer + ".self_attn";
  const ValueId x = build.norm(layer + ".self_attn_layer_norm", hidden, s.width, s.norm);
  const auto square = [&](const char* name, ValueId input) {
    return build.linear({attn + name, s.width, s.width, s.bias}, input);
  };
  const ValueId q = square(".q_proj", x), k = square(".k_proj", x), v = square(".v_proj", x);
  const double scale = 1.0 / std::sqrt(static_cast<double>(s.attention.head_dim));
  const ValueId attended = build.attention(attn + ".attention", {q, k, v}, s.attention, scale, 0);
  hidden = build.add(layer + ".attention_residual", hidden, square(".out_proj", attended));
  const ValueId mlp_input = build.norm(layer + ".final_layer_norm", hidden, s.width, s.norm);
  const ValueId inner =
      build.linear({layer + ".fc1", s.inner, s.width, s.bias}, mlp_input, s.activation);
  return build.add(layer + ".mlp_residual", hidden,
                   build.linear({layer + ".fc2", s.width, s.inner, s.bias}, inner));
}

ArchModel build_opt(const Config& config, WeightSource& weights) {
  const OptSettings s = read_settings(config);
  DecoderBuilder build(weights);
  const std::string prefix =
      weights.choose_prefix({"model.decoder.", "decoder.", ""}, "embed_tokens.weight");
  const std::string embedding = prefix + "embed_tokens.weight";
  ValueId hidden = build.graph().add(
      "Embedding", prefix + "embed_tokens",
      {build.input_ids(), build.matrix(embedding, s.vocab, s.width), build.positions(),
       build.matrix(prefix + "embed_positions.weight", s.positions + kPositionOffset, s.width)},
      {{"position_offset", kPositionOffset}});
  for (int64_t i = 0; i < s.layers; ++i)
    hidden = decoder_layer(build, s, fmt::format("{}layers.{}", prefix, i), hidden);
  return build.finish(config, hidden,
                      {.final_norm = prefix + "final_layer_norm",
                       .norm = s.norm,
                       .width = s.width,
                       .vocab = s.vocab,
                       .embedding = embedding,
                       .tied = s.tied,
                       .max_context = s.positions,
                       .context_limit = fmt::format("max_position_embeddings {}", s.positions)});
}

}  // namespace

void register_opt(ArchRegistry& registry) { registry.add("opt", build_opt); }

}  // namespace legato::importer
