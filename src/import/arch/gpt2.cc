#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "import/arch_registry.h"
#include "import/decoder/decoder_builder.h"
#include "import/decoder/settings.h"
#include "import/hf/limits.h"

namespace legato::importer {
namespace {

using ir::ValueId;

struct Gpt2Settings {
  int64_t vocab = 0, positions = 0, width = 0, layers = 0, inner = 0;
  AttentionShape attention;
  double scale = 1;
  NormSettings norm;
  std::string activation;
  bool tied = true;
};

Gpt2Settings read_settings(const Config& config) {
  refuse_foreign_settings(config);
  Gpt2Settings s;
  s.vocab = config.get_int("vocab_size", kVocabRange);
  s.positions = config.get_int("n_positions", kPositionRange);
  s.width = config.get_int("n_embd", kWidthRange);
  s.layers = read_layers(config, "n_layer", s.width);
  s.inner = config.get_int("n_inner", kHiddenRange, 4 * s.width);
  const int64_t heads = config.get_int("n_head", kHeadRange);
  if (s.width % heads != 0)
    config.refuse("n_head", fmt::format("{} doesn't divide n_embd {}", heads, s.width));
  s.attention = {heads, heads, s.width / heads};
  if (s.attention.head_dim > kHeadDimRange.max)
    config.refuse("n_head", fmt::format("heads of {} dimensions, at most {}", s.attention.head_dim,
                                        kHeadDimRange.max));
  if (config.get_bool("scale_attn_weights", true))
    s.scale = 1.0 / std::sqrt(static_cast<double>(s.attention.head_dim));
  config.expect_bool("scale_attn_by_inverse_layer_idx", false, false);
  config.expect_bool("add_cross_attention", false, false);
  // The same arithmetic in another order.
  config.mark_read("reorder_and_upcast_attn");
  s.norm = {.layer_norm = true, .bias = true};
  s.norm.epsilon = config.get_float_in("layer_norm_epsilon", kEpsilonRange, 1e-5);
  s.activation = activation_of(config, "activation_function", "gelu_new");
  s.tied = config.get_bool("tie_word_embeddings", true);
  return s;
}

/// GPT-2 stores its matrices as [in, out]; graphs hold [out, in].
struct Conv1d {
  ir::ConstantPtr weight;
  ir::ConstantPtr bias;  ///< null: none
};

Conv1d read_conv1d(DecoderBuilder& build, const std::string& name, int64_t in, int64_t out) {
  WeightSource& weights = build.weights();
  return {weights.get_turned(name + ".weight", {out, in}),
          build.biased(name, true) ? weights.get(name + ".bias", {out}) : nullptr};
}

ValueId conv1d(DecoderBuilder& build, const std::string& name, ValueId x, const Conv1d& module,
               const std::string& activation = "none") {
  const ValueId weight = build.constant(name + ".weight", module.weight);
  const ValueId bias =
      module.bias == nullptr ? ir::kNone : build.constant(name + ".bias", module.bias);
  return build.linear(name, x, weight, bias, activation);
}

ValueId attention_branch(DecoderBuilder& build, const Gpt2Settings& s, const std::string& name,
                         ValueId x) {
  const Conv1d fused = read_conv1d(build, name + ".c_attn", s.width, 3 * s.width);
  const char* parts[3] = {".c_attn.q", ".c_attn.k", ".c_attn.v"};
  ValueId qkv[3];
  for (int64_t part = 0; part < 3; ++part) {
    std::vector<int64_t> rows(static_cast<size_t>(s.width));
    std::iota(rows.begin(), rows.end(), part * s.width);
    const Conv1d slice{ir::gathered_rows(fused.weight, rows),
                       fused.bias == nullptr ? nullptr : ir::gathered_rows(fused.bias, rows)};
    qkv[part] = conv1d(build, name + parts[part], x, slice);
  }
  const ValueId attended = build.attention(name + ".attention", qkv, s.attention, s.scale, 0);
  return conv1d(build, name + ".c_proj", attended,
                read_conv1d(build, name + ".c_proj", s.width, s.width));
}

ValueId mlp_branch(DecoderBuilder& build, const Gpt2Settings& s, const std::string& name,
                   ValueId x) {
  const ValueId hidden = conv1d(build, name + ".c_fc", x,
                                read_conv1d(build, name + ".c_fc", s.width, s.inner), s.activation);
  return conv1d(build, name + ".c_proj", hidden,
                read_conv1d(build, name + ".c_proj", s.inner, s.width));
}

ArchModel build_gpt2(const Config& config, WeightSource& weights) {
  const Gpt2Settings s = read_settings(config);
  DecoderBuilder build(weights);
  const std::string prefix = weights.choose_prefix({"transformer.", ""}, "wte.weight");
  const std::string embedding = prefix + "wte.weight";
  ValueId hidden = build.graph().add(
      "Embedding", prefix + "wte",
      {build.input_ids(), build.matrix(embedding, s.vocab, s.width), build.positions(),
       build.matrix(prefix + "wpe.weight", s.positions, s.width)});
  for (int64_t i = 0; i < s.layers; ++i) {
    const std::string layer = fmt::format("{}h.{}", prefix, i);
    const ValueId attention_input = build.norm(layer + ".ln_1", hidden, s.width, s.norm);
    hidden = build.add(layer + ".attention_residual", hidden,
                       attention_branch(build, s, layer + ".attn", attention_input));
    const ValueId mlp_input = build.norm(layer + ".ln_2", hidden, s.width, s.norm);
    hidden =
        build.add(layer + ".mlp_residual", hidden, mlp_branch(build, s, layer + ".mlp", mlp_input));
  }
  return build.finish(config, hidden,
                      {.final_norm = prefix + "ln_f",
                       .norm = s.norm,
                       .width = s.width,
                       .vocab = s.vocab,
                       .embedding = embedding,
                       .tied = s.tied,
                       .max_context = s.positions,
                       .context_limit = fmt::format("n_positions {}", s.positions)});
}

}  // namespace

void register_gpt2(ArchRegistry& registry) { registry.add("gpt2", build_gpt2); }

}  // namespace legato::importer
