#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/rounding.h"
#include "passes/pass.h"
#include "passes/testing.h"

namespace legato::passes {
namespace {
using testing::HasSubstr;

constexpr char kProjections[] = R"(
  input %x: f32[t, 8]
  input %table: f32[t, 4]
  constant %wq: f32[16, 8]
  constant %wk: f32[8, 8]
  constant %wv: f32[8, 8]
  constant %bk: f32[8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
)";

TEST(PackQkv, ThreeProjectionsBecomeOneAndThreeSlices) {
  const ir::Graph original = graph_of(kProjections + std::string(R"(
  %q: f32[t, 16] = Linear(%x, %wq)
  %k: f32[t, 8] = Linear(%x, %wk, %bk)
  %v: f32[t, 8] = Linear(%x, %wv)
  %rq: f32[t, 16] = Rope(%q, %table) {head_dim=4, rotary_dim=4}
  %rk: f32[t, 8] = Rope(%k, %table) {head_dim=4, rotary_dim=4}
  %y: f32[t, 16] = Attention(%rq, %rk, %v) {head_dim=4, heads=4, kv_heads=2, layer=0, scale=0.5}
  output "y" = %y
)"));
  ir::Graph graph = original;
  EXPECT_EQ(pack_qkv(graph, {}), 1);
  verify(graph);
  EXPECT_EQ(print(graph), R"(graph {
  input %x: f32[t, 8]
  input %table: f32[t, 4]
  constant %wq.qkv: f32[32, 8]
  constant %bk.qkv: f32[32] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
  %q.qkv: f32[t, 32] = Linear(%x, %wq.qkv, %bk.qkv)
  %q.slice: f32[t, 16] = Slice(%q.qkv) {axes=[1], ends=[16], starts=[0]}
  %rq: f32[t, 16] = Rope(%q.slice, %table) {head_dim=4, rotary_dim=4}
  %k.slice: f32[t, 8] = Slice(%q.qkv) {axes=[1], ends=[24], starts=[16]}
  %rk: f32[t, 8] = Rope(%k.slice, %table) {head_dim=4, rotary_dim=4}
  %v.slice: f32[t, 8] = Slice(%q.qkv) {axes=[1], ends=[32], starts=[24]}
  %y: f32[t, 16] = Attention(%rq, %rk, %v.slice) {head_dim=4, heads=4, kv_heads=2, layer=0, scale=0.5}
  output "y" = %y
}
)");
  // The same dot products in the same order: not a bit differs.
  EXPECT_EQ(relative_difference(original, graph), 0);
}

TEST(PackQkv, ProjectionsThatDifferStay) {
  const auto rewrites = [](const std::string& v) {
    ir::Graph graph = graph_of(kProjections + std::string(R"(
  input %other: f32[t, 8]
  %q: f32[t, 16] = Linear(%x, %wq)
  %k: f32[t, 8] = Linear(%x, %wk)
)") + v + R"(
  %y: f32[t, 16] = Attention(%q, %k, %v) {head_dim=4, heads=4, kv_heads=2, layer=0, scale=0.5}
  output "y" = %y
)");
    return pack_qkv(graph, {});
  };
  EXPECT_EQ(rewrites("%v: f32[t, 8] = Linear(%x, %wv)"), 1);
  EXPECT_EQ(rewrites("%v: f32[t, 8] = Linear(%other, %wv)"), 0);
  EXPECT_EQ(rewrites("%v: f32[t, 8] = Linear(%x, %wv) {activation=\"silu\"}"), 0);
  EXPECT_EQ(rewrites("%v: f32[t, 8] = Linear(%x, %wv, none, %other)"), 0);
  EXPECT_EQ(rewrites("constant %h: f16[8, 8]\n %v: f32[t, 8] = Linear(%x, %h)"), 0);
  EXPECT_EQ(rewrites("input %in: f32[8, 8]\n %v: f32[t, 8] = Linear(%x, %in)"), 0);
}

TEST(PackGateUp, BlocksOfGateAndUpRowsAlternate) {
  const ir::Graph original = graph_of(R"(
  input %x: f32[t, 8]
  constant %gate: f16[40, 8]
  constant %up: f16[40, 8]
  constant %b: f32[40]
  %y: f32[t, 40] = GatedMlp(%x, %gate, %up, %b, %b) {activation="gelu", features=40}
  output "y" = %y
)");
  ir::Graph graph = original;
  EXPECT_EQ(pack_gate_up(graph, {}), 1);
  EXPECT_EQ(pack_gate_up(graph, {}), 0);
  verify(graph);
  EXPECT_THAT(print(graph), HasSubstr("constant %gate.packed: f16[128, 8]\n"));
  EXPECT_THAT(print(graph), HasSubstr("GatedMlp(%x, %gate.packed, none, %b, %b) "
                                      "{activation=\"gelu\", features=40, packed=1}"));
  EXPECT_EQ(relative_difference(original, graph), 0);
}

TEST(CastWeights, MatricesTakeThePrecisionAndSharedOnesOnce) {
  const ir::Graph original = graph_of(R"(
  input %ids: i32[t]
  constant %table: bf16[4, 8]
  constant %w: f32[8, 8]
  constant %b: f32[8]
  %h: f32[t, 8] = Embedding(%ids, %table)
  %g: f32[t, 8] = GatedMlp(%h, %w, %w, %b) {features=8}
  %y: f32[t, 4] = Linear(%g, %table)
  output "y" = %y
)");
  const auto cast_to = [&](DType precision, int64_t rewrites) {
    ir::Graph graph = original;
    PassOptions options;
    options.precision = precision;
    EXPECT_EQ(cast_weights(graph, options), rewrites);
    verify(graph);
    return graph;
  };
  const ir::Graph half = cast_to(DType::kF16, 2);
  EXPECT_THAT(print(half), HasSubstr("Embedding(%ids, %table.f16)"));
  EXPECT_THAT(print(half), HasSubstr("GatedMlp(%h, %w.f16, %w.f16, %b)"));
  EXPECT_THAT(print(half), HasSubstr("Linear(%g, %table.f16)"));
  EXPECT_THAT(print(half), HasSubstr("constant %b: f32[8]"));
  EXPECT_LE(relative_difference(original, half),
            kernels::logit_tolerance(kernels::kRoundoffF16, 16));
  EXPECT_GT(relative_difference(original, half), 0);
  EXPECT_LE(relative_difference(original, cast_to(DType::kBF16, 1)),
            kernels::logit_tolerance(kernels::kRoundoffBF16, 16));
  // f32 holds every bf16 number.
  EXPECT_EQ(relative_difference(original, cast_to(DType::kF32, 1)), 0);
  PassOptions options;
  options.precision = DType::kI8;
  ir::Graph graph = original;
  EXPECT_THAT(catch_error([&] { cast_weights(graph, options); }).to_string(),
              HasSubstr("precision: is i8, expected f32, f16, bf16, w8 or w4"));
}

}  // namespace
}  // namespace legato::passes
