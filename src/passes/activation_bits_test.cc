#include <gtest/gtest.h>

#include <map>

#include "passes/pass.h"
#include "passes/testing.h"

namespace legato::passes {
namespace {

/// A layer's projections with weights of `dtype`.
std::string layer_of(const std::string& dtype) {
  std::string text = R"(
  input %h: f32[tokens, 64]
  constant %wqkv: DTYPE[128, 64]
  constant %wo: DTYPE[64, 64]
  constant %gate: DTYPE[96, 64]
  constant %up: DTYPE[96, 64]
  constant %down: DTYPE[64, 96]
  %qkv: f32[tokens, 128] = Linear(%h, %wqkv)
  %q: f32[tokens, 64] = Slice(%qkv) {axes=[1], ends=[64], starts=[0], steps=[1]}
  %k: f32[tokens, 32] = Slice(%qkv) {axes=[1], ends=[96], starts=[64], steps=[1]}
  %v: f32[tokens, 32] = Slice(%qkv) {axes=[1], ends=[128], starts=[96], steps=[1]}
  %att: f32[tokens, 64] = Attention(%q, %k, %v) {head_dim=32, heads=2, kv_heads=1, layer=0, scale=0.5}
  %o: f32[tokens, 64] = Linear(%att, %wo)
  %g: f32[tokens, 96] = GatedMlp(%o, %gate, %up) {features=96}
  %d: f32[tokens, 64] = Linear(%g, %down)
  output "d" = %d
)";
  for (size_t at = text.find("DTYPE"); at != std::string::npos; at = text.find("DTYPE"))
    text.replace(at, 5, dtype);
  return text;
}

ir::Graph layer(const std::string& dtype) {
  return ir::parse("graph {\n" + layer_of(dtype) + "}\n",
                   [](const std::string&, DType type, const Shape& shape) {
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

TEST(ActivationBits, ProjectionsOfQuantisedWeightsRoundLessButAttentionsOwn) {
  ir::Graph graph = layer("q4_0");
  EXPECT_EQ(choose_activation_bits(graph, {}), 2);
  const std::map<std::string, int64_t> expected = {{"qkv", 15}, {"o", 8}, {"g", 8}, {"d", 15}};
  EXPECT_EQ(bits_of(graph), expected);
}

TEST(ActivationBits, FloatsAndW8StayAsTheyAre) {
  for (const char* dtype : {"f32", "bf16", "w8"}) {
    ir::Graph graph = layer(dtype);
    EXPECT_EQ(choose_activation_bits(graph, {}), 0) << dtype;
  }
}

}  // namespace
}  // namespace legato::passes
