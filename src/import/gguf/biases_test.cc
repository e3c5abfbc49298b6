#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "import/gguf/small_model.h"
#include "import/import_fixture.h"

namespace legato::importer {
namespace {

using ::testing::ElementsAre;

/// The biases that a model with these has, by their names in the graph.
std::set<std::string> biases_of(SmallLlama& small) {
  const std::string bytes = small.build();
  const ImportedModel model = import_bytes(bytes);
  ir::verify(model.graph);
  std::set<std::string> names;
  for (size_t id = 0; id < model.graph.num_values(); ++id) {
    const ir::Value& value = model.graph.value(static_cast<ir::ValueId>(id));
    if (value.constant != nullptr && value.name.ends_with(".bias")) names.insert(value.name);
  }
  return names;
}

SmallLlama small_relative(const std::string& arch) {
  SmallLlama small;
  small.arch = arch;
  if (arch == "qwen3")
    small.tensors["blk.0.attn_q_norm.weight"] = small.tensors["blk.0.attn_k_norm.weight"] = {16};
  return small;
}

/// A gpt2 of the same sizes, without biases in its linear modules.
SmallLlama small_gpt2() {
  SmallLlama small;
  small.arch = "gpt2";
  small.bytes.f32("gpt2.attention.layer_norm_epsilon", 1e-5f);
  small.tensors = {{"token_embd.weight", {32, 10}},     {"position_embd.weight", {32, 64}},
                   {"blk.0.attn_qkv.weight", {32, 96}}, {"blk.0.attn_output.weight", {32, 32}},
                   {"blk.0.ffn_up.weight", {32, 64}},   {"blk.0.ffn_down.weight", {64, 32}}};
  for (const char* norm : {"output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"})
    for (const char* part : {"weight", "bias"})
      small.tensors[fmt::format("{}.{}", norm, part)] = {32};
  return small;
}

struct Bias {
  const char* theirs;
  uint64_t length;
  const char* ours;
};

TEST(GgufBiases, EachOfALlamaAndItsRelativesIsThereByItself) {
  constexpr Bias kBiases[] = {
      {"attn_q", 32, "self_attn.q_proj"}, {"attn_k", 16, "self_attn.k_proj"},
      {"attn_v", 16, "self_attn.v_proj"}, {"attn_output", 32, "self_attn.o_proj"},
      {"ffn_gate", 64, "mlp.gate_proj"},  {"ffn_up", 64, "mlp.up_proj"},
      {"ffn_down", 32, "mlp.down_proj"}};
  for (const char* arch : {"llama", "qwen2", "qwen3", "mistral"}) {
    const bool windows = std::string_view(arch) == "mistral";
    const auto make = [&] {
      SmallLlama small = small_relative(windows ? "llama" : arch);
      if (windows) small.numbers["attention.sliding_window"] = 16;
      return small;
    };
    SmallLlama none = make();
    EXPECT_THAT(biases_of(none), ElementsAre()) << arch;
    std::set<std::string> all;
    SmallLlama full = make();
    for (const Bias& bias : kBiases) {
      const std::string tensor = fmt::format("blk.0.{}.bias", bias.theirs);
      const std::string name = fmt::format("model.layers.0.{}.bias", bias.ours);
      SmallLlama one = make();
      one.tensors[tensor] = full.tensors[tensor] = {bias.length};
      EXPECT_THAT(biases_of(one), ElementsAre(name)) << arch;
      all.insert(name);
    }
    EXPECT_EQ(biases_of(full), all) << arch;
  }
}

TEST(GgufBiases, LayersNeedNotAgree) {
  SmallLlama small;
  small.numbers["block_count"] = 2;
  const auto first = small.tensors;
  for (const auto& [name, dims] : first)
    if (name.starts_with("blk.0.")) small.tensors["blk.1." + name.substr(6)] = dims;
  small.tensors["blk.1.attn_q.bias"] = {32};
  EXPECT_THAT(biases_of(small), ElementsAre("model.layers.1.self_attn.q_proj.bias"));
}

TEST(GgufBiases, EachOfAGpt2IsThereByItself) {
  SmallLlama none = small_gpt2();
  const std::set<std::string> norms = biases_of(none);
  EXPECT_THAT(norms, ElementsAre("transformer.h.0.ln_1.bias", "transformer.h.0.ln_2.bias",
                                 "transformer.ln_f.bias"));
  constexpr Bias kBiases[] = {{"attn_qkv", 96, "attn.c_attn.q attn.c_attn.k attn.c_attn.v"},
                              {"attn_output", 32, "attn.c_proj"},
                              {"ffn_up", 64, "mlp.c_fc"},
                              {"ffn_down", 32, "mlp.c_proj"}};
  for (const Bias& bias : kBiases) {
    SmallLlama one = small_gpt2();
    one.tensors[fmt::format("blk.0.{}.bias", bias.theirs)] = {bias.length};
    std::set<std::string> expected = norms;
    std::istringstream names(bias.ours);
    for (std::string name; names >> name;)
      expected.insert(fmt::format("transformer.h.0.{}.bias", name));
    EXPECT_EQ(biases_of(one), expected) << bias.theirs;
  }
}

TEST(GgufBiases, OneOfAnotherLengthIsRefused) {
  SmallLlama small;
  small.tensors["blk.0.attn_k.bias"] = {32};
  const std::string bytes = small.build();
  EXPECT_EQ(error_of([&] { import_bytes(bytes); }),
            "m.gguf: tensor \"blk.0.attn_k.bias\": expected shape [16], found [32]");
}

}  // namespace
}  // namespace legato::importer
