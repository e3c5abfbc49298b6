#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "passes/pass.h"
#include "passes/testing.h"

namespace legato::passes {
namespace {

/// `text` with each `from` replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Layer `index` reads %x<index> and makes %x<index + 1>; its projections are qkv, o, g and d.
std::string layer_text(int index, const std::string& dtype) {
  const std::string text = R"(
  constant %wqkv#: DTYPE[128, 64]
  constant %wo#: DTYPE[64, 64]
  constant %gate#: DTYPE[96, 64]
  constant %up#: DTYPE[96, 64]
  constant %down#: DTYPE[64, 96]
  %qkv#: f32[tokens, 128] = Linear(%x#, %wqkv#)
  %q#: f32[tokens, 64] = Slice(%qkv#) {axes=[1], ends=[64], starts=[0], steps=[1]}
  %k#: f32[tokens, 32] = Slice(%qkv#) {axes=[1], ends=[96], starts=[64], steps=[1]}
  %v#: f32[tokens, 32] = Slice(%qkv#) {axes=[1], ends=[128], starts=[96], steps=[1]}
  %att#: f32[tokens, 64] = Attention(%q#, %k#, %v#) {head_dim=32, heads=2, kv_heads=1, layer=#, scale=0.5}
  %o#: f32[tokens, 64] = Linear(%att#, %wo#)
  %g#: f32[tokens, 96] = GatedMlp(INPUT, %gate#, %up#) {features=96}
  %d#: f32[tokens, 64] = Linear(%g#, %down#)
  %x+: f32[tokens, 64] = Add(%o#, %d#)
)";
  return replaced(
      replaced(replaced(text, "#", std::to_string(index)), "+", std::to_string(index + 1)), "DTYPE",
      dtype);
}

/// `count` layers and a head. The feed-forward part of a parallel layer reads what attention reads.
ir::Graph layers(int count, const std::string& dtype, bool parallel = false) {
  std::string text = "graph {\n  input %x0: f32[tokens, 64]\n";
  for (int i = 0; i < count; ++i) {
    const std::string from = parallel ? "%x" : "%o";
    text += replaced(layer_text(i, dtype), "INPUT", from + std::to_string(i));
  }
  const std::string last = std::to_string(count);
  text += "  constant %whead: " + dtype + "[128, 64]\n";
  text += "  %head: f32[tokens, 128] = Linear(%x" + last + ", %whead)\n";
  text += "  output \"logits\" = %head\n}\n";
  return ir::parse(text, [](const std::string&, DType type, const Shape& shape) {
    return ir::constant_from_tensor(Tensor(type, shape));
  });
}

std::map<std::string, int64_t> bits_of(const ir::Graph& graph) {
  std::map<std::string, int64_t> bits;
  for (const ir::NodeId id : graph.order())
    if (graph.node(id).op == "Linear" || graph.node(id).op == "GatedMlp")
      bits[graph.node(id).name] = graph.node(id).attributes.get_int("activation_bits");
  return bits;
}

TEST(ActivationBits, FineWhereRoundingMovesLogitsMost) {
  const std::map<std::string, int64_t> expected = {
      {"qkv0", 15}, {"o0", 8},    {"g0", 15}, {"d0", 15}, {"qkv1", 15}, {"o1", 8},   {"g1", 8},
      {"d1", 8},    {"qkv2", 15}, {"o2", 8},  {"g2", 15}, {"d2", 15},   {"head", 15}};
  for (const bool parallel : {false, true}) {
    ir::Graph graph = layers(3, "q4_0", parallel);
    EXPECT_EQ(choose_activation_bits(graph, {}), 8) << parallel;
    EXPECT_EQ(bits_of(graph), expected) << parallel;
  }
}

TEST(ActivationBits, OneLayerIsFirstAndLast) {
  ir::Graph graph = layers(1, "q8_0");
  EXPECT_EQ(choose_activation_bits(graph, {}), 4);
  const std::map<std::string, int64_t> expected = {
      {"qkv0", 15}, {"o0", 8}, {"g0", 15}, {"d0", 15}, {"head", 15}};
  EXPECT_EQ(bits_of(graph), expected);
}

TEST(ActivationBits, FloatsAndW8StayAsTheyAre) {
  for (const char* dtype : {"f32", "bf16", "w8"}) {
    ir::Graph graph = layers(2, dtype);
    EXPECT_EQ(choose_activation_bits(graph, {}), 0) << dtype;
  }
}

}  // namespace
}  // namespace legato::passes
