#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "passes/pass.h"
#include "passes/testing.h"
#include "quant/quantised.h"

namespace legato::passes {
namespace {
using testing::HasSubstr;
using testing::Not;

/// Embedding, one attention layer, gated MLP, and an output matrix of its own.
constexpr char kUntied[] = R"(
  input %ids: i32[t]
  constant %table: f32[40, 32]
  constant %wq: f32[32, 32]
  constant %wk: f32[32, 32]
  constant %wv: f32[32, 32]
  constant %gate: f32[64, 32]
  constant %up: f32[64, 32]
  constant %down: f32[32, 64]
  constant %head: f32[40, 32]
  %h: f32[t, 32] = Embedding(%ids, %table)
  %q: f32[t, 32] = Linear(%h, %wq)
  %k: f32[t, 32] = Linear(%h, %wk)
  %v: f32[t, 32] = Linear(%h, %wv)
  %a: f32[t, 32] = Attention(%q, %k, %v) {head_dim=16, heads=2, kv_heads=2, layer=0, scale=0.25}
  %g: f32[t, 64] = GatedMlp(%a, %gate, %up) {features=64}
  %d: f32[t, 32] = Linear(%g, %down)
  %s: f32[t, 32] = Add(%a, %d)
  %y: f32[t, 40] = Linear(%s, %head)
  %z: f32[t, 40] = Tanh(%y)
  output "y" = %z
)";

std::string tied_text() {
  std::string text = kUntied;
  text.replace(text.find("Linear(%s, %head)"), 17, "Linear(%s, %table)");
  return text;
}

std::string printed(const std::string& text, const PassOptions& options) {
  ir::Graph graph = graph_of(text);
  cast_weights(graph, options);
  verify(graph);
  return print(graph);
}

std::string refusal(const std::string& text, const PassOptions& options) {
  ir::Graph graph = graph_of(text);
  return catch_error([&] { cast_weights(graph, options); }).to_string();
}

TEST(CastWeights, W4KeepsEmbeddingAndHeadInW8) {
  const std::string text = printed(kUntied, {.precision = DType::kW4});
  EXPECT_THAT(text, HasSubstr("constant %table.w8: w8[40, 32]"));
  EXPECT_THAT(text, HasSubstr("constant %head.w8: w8[40, 32]"));
  for (const char* name : {"wq", "wk", "wv", "gate", "up", "down"})
    EXPECT_THAT(text, HasSubstr(std::string("constant %") + name + ".w4: w4[")) << name;
}

TEST(CastWeights, EmbeddingAndHeadHaveOptionsOfTheirOwn) {
  const std::string text = printed(
      kUntied,
      {.precision = DType::kW8, .embed_precision = DType::kF16, .head_precision = DType::kW4});
  EXPECT_THAT(text, HasSubstr("constant %table.f16: f16[40, 32]"));
  EXPECT_THAT(text, HasSubstr("constant %head.w4: w4[40, 32]"));
  EXPECT_THAT(text, HasSubstr("constant %down.w8: w8[32, 64]"));
  const std::string alone = printed(kUntied, {.head_precision = DType::kW8});
  EXPECT_THAT(alone, HasSubstr("constant %head.w8: w8[40, 32]"));
  EXPECT_THAT(alone, HasSubstr("constant %table: f32[40, 32]"));
  EXPECT_THAT(alone, HasSubstr("constant %down: f32[32, 64]"));
}

TEST(CastWeights, TiedTableHasOnePrecision) {
  const std::string tied = tied_text();
  for (const PassOptions& options :
       {PassOptions{.precision = DType::kW4, .embed_precision = DType::kF16},
        PassOptions{.precision = DType::kW4, .head_precision = DType::kF16},
        PassOptions{.precision = DType::kW4,
        .embed_precision = DType::kF16,
        .head_precision = DType::kF16}}) {
    const std::string text = printed(tied, options);
    EXPECT_THAT(text, HasSubstr("Embedding(%ids, %table.f16)"));
    EXPECT_THAT(text, HasSubstr("Linear(%s, %table.f16)"));
  }
  EXPECT_THAT(refusal(tied, {.precision = DType::kW4,
                             .embed_precision = DType::kF16,
                             .head_precision = DType::kW8}),
              HasSubstr("table: is both embedding and head, expected one precision for it, got f16 "
                        "and w8"));
}

TEST(CastWeights, TiedByDataIsTiedToo) {
  // Two values that name the same rows, as importers make them.
  const ir::ConstantPtr rows = ir::random_normal(DType::kF32, {40, 32}, 7, 0.1f);
  const ir::ConstantPtr turned = ir::transposed(rows);
  std::string text = kUntied;
  ir::Graph graph = ir::parse("graph {" + text + "}",
                              [&](const std::string& name, DType dtype, const Shape& shape) {
                                if (name == "table" || name == "head")
                                  return ir::transposed(turned);
                                return ir::random_normal(dtype, shape, 1, 0.1f);
                              });
  const PassOptions options{.embed_precision = DType::kF16, .head_precision = DType::kW8};
  EXPECT_THAT(catch_error([&] { cast_weights(graph, options); }).to_string(),
              HasSubstr("is both embedding and head"));
}

TEST(CastWeights, QuantisedSourceStaysOrIsWidened) {
  const auto q4_1 = [](const std::string&, DType dtype, const Shape& shape) -> ir::ConstantPtr {
    if (dtype == DType::kF32) return ir::random_normal(dtype, shape, 1, 1.0f);
    Tensor tensor(dtype, shape);
    for (size_t i = 0; i < tensor.bytes(); ++i)
      tensor.raw()[i] = static_cast<std::byte>(i % 20 < 4 ? (i % 2 == 0 ? 0x11 : 0x20) : i * 7);
    return ir::constant_from_tensor(std::move(tensor));
  };
  const std::string source = R"(graph {
  input %x: f32[t, 32]
  constant %w: q4_1[32, 32]
  constant %u: q4_1[8, 32]
  %h: f32[t, 32] = Linear(%x, %w)
  %y: f32[t, 8] = Linear(%h, %u)
  output "y" = %y
})";
  const ir::Graph original = ir::parse(source, q4_1);
  const auto cast_to = [&](PassOptions options) {
    ir::Graph graph = original;
    cast_weights(graph, options);
    verify(graph);
    return graph;
  };
  EXPECT_EQ(print(cast_to({})), print(original));
  const ir::Graph wide = cast_to({.precision = DType::kF32});
  EXPECT_THAT(print(wide), HasSubstr("constant %w.f32: f32[32, 32]"));
  EXPECT_EQ(relative_difference(original, wide), 0);
  // w4 has the blocks of q4_1: not a number changes.
  const ir::Graph narrow = cast_to({.precision = DType::kW4, .head_precision = DType::kF32});
  EXPECT_THAT(print(narrow), HasSubstr("constant %w.w4: w4[32, 32]"));
  EXPECT_EQ(relative_difference(original, narrow), 0);
}

TEST(CastWeights, ColumnsThatAreNoWholeBlocksAreNamed) {
  std::string text = R"(
  input %x: f32[t, 40]
  constant %w: f32[32, 40]
  %y: f32[t, 32] = Linear(%x, %w)
  output "y" = %y
)";
  EXPECT_EQ(refusal(text, {.precision = DType::kW8}),
            "w: has 40 columns, expected a multiple of 32, the block of w8");
  EXPECT_EQ(refusal(text, {.precision = DType::kW4, .head_precision = DType::kW4}),
            "w: has 40 columns, expected a multiple of 32, the block of w4");
  EXPECT_THAT(refusal(text, {.precision = DType::kQ4_0}),
              HasSubstr("precision: is q4_0, expected f32, f16, bf16, w8 or w4"));
}

TEST(CastWeights, PartsOfDifferentDtypesStayApart) {
  const auto zeros = [](const std::string&, DType dtype, const Shape& shape) {
    return ir::constant_from_tensor(Tensor(dtype, shape));
  };
  std::string text = std::string("graph {") + kUntied + "}";
  text.replace(text.find("%wk: f32"), 8, "%wk: q8_0");
  text.replace(text.find("%up: f32"), 8, "%up: w8");
  ir::Graph graph = ir::parse(text, zeros);
  EXPECT_EQ(pack_qkv(graph, {}), 0);
  EXPECT_EQ(pack_gate_up(graph, {}), 0);
  verify(graph);
}

TEST(CastWeights, PartsOfOneQuantisedDtypeArePacked) {
  ir::Graph original = graph_of(kUntied);
  cast_weights(original, {.precision = DType::kW4});
  ir::Graph graph = original;
  EXPECT_EQ(pack_qkv(graph, {}), 1);
  EXPECT_EQ(pack_gate_up(graph, {}), 1);
  verify(graph);
  EXPECT_THAT(print(graph), HasSubstr("constant %wq.w4.qkv: w4[96, 32]"));
  EXPECT_THAT(print(graph), HasSubstr("constant %gate.w4.packed: w4[128, 32]"));
}

TEST(CastWeights, WeightsBeyondF16AreRefusedWhenTheyAreRead) {
  const auto lookup = [](const std::string&, DType, const Shape& shape) {
    Tensor tensor(DType::kF32, shape);
    tensor.data<float>()[shape[1] + 3] = 7e4f;
    return ir::constant_from_tensor(std::move(tensor));
  };
  ir::Graph graph = ir::parse("graph {\n" + std::string(kUntied) + "}\n", lookup);
  cast_weights(graph, {.precision = DType::kF16});
  const ir::ValueId weight = graph.node(graph.order().front()).inputs[1];
  std::vector<std::byte> rows(40 * 32 * 2);
  EXPECT_EQ(
      catch_error([&] { graph.value(weight).constant->read_rows(0, 40, rows.data()); }).to_string(),
      "table: its f16 form has inf at row 1, column 3, expected finite numbers");
}

}  // namespace
}  // namespace legato::passes
