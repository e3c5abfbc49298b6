#include <fmt/format.h>

#include <cmath>

#include "import/arch_registry.h"
#include "import/decoder/decoder_builder.h"
#include "import/decoder/settings.h"
#include "import/hf/limits.h"

namespace legato::importer {
namespace {

using ir::kNone;
using ir::ValueId;

struct NeoxSettings {
  int64_t vocab = 0, width = 0, layers = 0, inner = 0;
  AttentionShape attention;
  NormSettings norm;
  std::string activation;
  bool attention_bias = true;
  bool tied = false;
  RopeSettings rope;
};

NeoxSettings read_settings(const Config& config) {
  refuse_foreign_settings(config);
  NeoxSettings s;
  s.vocab = config.get_int("vocab_size", kVocabRange);
  s.width = config.get_int("hidden_size", kWidthRange);
  s.layers = read_layers(config, "num_hidden_layers", s.width);
  s.inner = config.get_int("intermediate_size", kHiddenRange);
  s.attention = read_full_attention_shape(config, s.width, "gpt_neox");
  config.expect_bool("use_parallel_residual", true, true);
  s.norm = {.layer_norm = true, .bias = true};
  s.norm.epsilon = config.get_float_in("layer_norm_eps", kEpsilonRange, 1e-5);
  s.activation = activation_of(config, "hidden_act", "gelu");
  s.attention_bias = config.get_bool("attention_bias", true);
  s.tied = config.get_bool("tie_word_embeddings", false);
  RopeQuery query{s.attention.head_dim,
                  config.get_int("max_position_embeddings", kPositionRange, 2048)};
  query.partial_rotary_factor = 0.25;
  query.allow_partial = true;
  if (config.has("rotary_emb_base")) query.theta_field = "rotary_emb_base";
  if (config.has("rotary_pct")) query.partial_field = "rotary_pct";
  s.rope = read_rope(config, query);
  return s;
}

/// Rows of one of query, key, value (part 0, 1, 2) in the fused matrix, which holds head after head
/// with all three of each.
std::vector<int64_t> rows_of_part(const AttentionShape& shape, int64_t part) {
  std::vector<int64_t> rows;
  for (int64_t head = 0; head < shape.heads; ++head)
    for (int64_t i = 0; i < shape.head_dim; ++i)
      rows.push_back((3 * head + part) * shape.head_dim + i);
  return rows;
}

ValueId attention_branch(DecoderBuilder& build, const NeoxSettings& s, const std::string& name,
                         ValueId x, ValueId rope_table) {
  const std::string fused = name + ".query_key_value";
  const ir::ConstantPtr weight = build.weights().get(fused + ".weight", {3 * s.width, s.width});
  const ir::ConstantPtr bias =
      s.attention_bias ? build.weights().get(fused + ".bias", {3 * s.width}) : nullptr;
  const char* parts[3] = {".query", ".key", ".value"};
  ValueId qkv[3];
  for (int64_t part = 0; part < 3; ++part) {
    const std::vector<int64_t> rows = rows_of_part(s.attention, part);
    const std::string node = name + parts[part];
    const ValueId own_weight = build.constant(node + ".weight", ir::gathered_rows(weight, rows));
    const ValueId own_bias =
        bias != nullptr ? build.constant(node + ".bias", ir::gathered_rows(bias, rows)) : kNone;
    qkv[part] = build.linear(node, x, own_weight, own_bias);
    if (part < 2)
      qkv[part] = build.rope(node + "_rope", qkv[part], rope_table, s.attention.head_dim,
                             s.rope.rotary_dim);
  }
  const double scale = 1.0 / std::sqrt(static_cast<double>(s.attention.head_dim));
  const ValueId attended = build.attention(name + ".attention", qkv, s.attention, scale, 0);
  return build.linear({name + ".dense", s.width, s.width, s.attention_bias}, attended);
}

/// Attention and MLP read the same stream: x + attention(norm1(x)) + mlp(norm2(x)).
ValueId parallel_layer(DecoderBuilder& build, const NeoxSettings& s, const std::string& layer,
                       ValueId hidden, ValueId rope_table) {
  const ValueId attention_input = build.norm(layer + ".input_layernorm", hidden, s.width, s.norm);
  const ValueId attended =
      attention_branch(build, s, layer + ".attention", attention_input, rope_table);
  const ValueId mlp_input =
      build.norm(layer + ".post_attention_layernorm", hidden, s.width, s.norm);
  const ValueId inner =
      build.linear({layer + ".mlp.dense_h_to_4h", s.inner, s.width, true}, mlp_input, s.activation);
  const ValueId mlp = build.linear({layer + ".mlp.dense_4h_to_h", s.width, s.inner, true}, inner);
  const ValueId sum = build.add(layer + ".attention_residual", hidden, attended);
  return build.add(layer + ".mlp_residual", sum, mlp);
}

ArchModel build_gpt_neox(const Config& config, WeightSource& weights) {
  const NeoxSettings s = read_settings(config);
  DecoderBuilder build(weights);
  const std::string prefix = weights.choose_prefix({"gpt_neox.", ""}, "embed_in.weight");
  const std::string embedding = prefix + "embed_in.weight";
  ValueId hidden =
      build.graph().add("Embedding", prefix + "embed_in",
                        {build.input_ids(), build.matrix(embedding, s.vocab, s.width)});
  const ValueId rope_table = build.rope_table(s.rope);
  for (int64_t i = 0; i < s.layers; ++i)
    hidden = parallel_layer(build, s, fmt::format("{}layers.{}", prefix, i), hidden, rope_table);
  // Newer files name the output matrix like other families do.
  const std::string head =
      weights.has("lm_head.weight") && !weights.has("embed_out.weight") ? "lm_head" : "embed_out";
  return build.finish(config, hidden,
                      {.final_norm = prefix + "final_layer_norm",
                       .norm = s.norm,
                       .width = s.width,
                       .vocab = s.vocab,
                       .embedding = embedding,
                       .head = head,
                       .tied = s.tied,
                       .max_context = s.rope.max_context,
                       .context_limit = s.rope.context_limit});
}

}  // namespace

void register_gpt_neox(ArchRegistry& registry) { registry.add("gpt_neox", build_gpt_neox); }

}  // namespace legato::importer
