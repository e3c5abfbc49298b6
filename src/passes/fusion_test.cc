#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/rounding.h"
#include "passes/pass.h"
#include "passes/testing.h"

namespace legato::passes {
namespace {

using PassFunction = int64_t (*)(ir::Graph&, const PassOptions&);

/// Runs one pass and expects the text form that comes out and the same numbers.
void expect_rewrite(PassFunction pass, const std::string& before, const std::string& after,
                    int64_t rewrites = 1) {
  const ir::Graph original = graph_of(before);
  ir::Graph graph = original;
  EXPECT_EQ(pass(graph, {}), rewrites);
  verify(graph);
  EXPECT_EQ(print(graph), print(graph_of(after)));
  EXPECT_LE(relative_difference(original, graph), kernels::sum_tolerance(64));
}

void expect_untouched(PassFunction pass, const std::string& text) {
  ir::Graph graph = graph_of(text);
  const std::string before = print(graph);
  EXPECT_EQ(pass(graph, {}), 0);
  EXPECT_EQ(print(graph), before);
}

TEST(FuseResidual, AnAddMovesIntoTheLinearOnEitherSide) {
  for (const char* operands : {"%h, %y", "%y, %h"})
    expect_rewrite(fuse_residual,
                   std::string(R"(
  input %x: f32[t, 8]
  input %h: f32[t, 4]
  constant %w: f32[4, 8]
  %y: f32[t, 4] = Linear(%x, %w) {activation="silu"}
  %sum: f32[t, 4] = Add()") +
                       operands + R"()
  output "y" = %sum
)",
                   R"(
  input %x: f32[t, 8]
  input %h: f32[t, 4]
  constant %w: f32[4, 8]
  %y: f32[t, 4] = Linear(%x, %w, none, %h) {activation="silu"}
  output "y" = %y
)");
}

TEST(FuseResidual, TheResidualMayBeComputedLater) {
  expect_rewrite(fuse_residual, R"(
  input %x: f32[t, 8]
  constant %w: f32[8, 8]
  %y: f32[t, 8] = Linear(%x, %w)
  %n: f32[t, 8] = RmsNorm(%x) {epsilon=1e-05}
  %sum: f32[t, 8] = Add(%n, %y)
  output "y" = %sum
)",
                 R"(
  input %x: f32[t, 8]
  constant %w: f32[8, 8]
  %n: f32[t, 8] = RmsNorm(%x) {epsilon=1e-05}
  %y: f32[t, 8] = Linear(%x, %w, none, %n)
  output "y" = %y
)");
}

TEST(FuseResidual, LeavesALinearThatIsReadElsewhereOrBroadcast) {
  expect_untouched(fuse_residual, R"(
  input %x: f32[t, 8]
  constant %w: f32[8, 8]
  %y: f32[t, 8] = Linear(%x, %w)
  %sum: f32[t, 8] = Add(%x, %y)
  output "y" = %sum
  output "z" = %y
)");
  expect_untouched(fuse_residual, R"(
  input %x: f32[t, 8]
  input %b: f32[8]
  constant %w: f32[8, 8]
  %y: f32[t, 8] = Linear(%x, %w)
  %sum: f32[t, 8] = Add(%y, %b)
  output "y" = %sum
)");
  expect_untouched(fuse_residual, R"(
  input %x: f32[t, 8]
  constant %w: f32[8, 8]
  %y: f32[t, 8] = Linear(%x, %w)
  %sum: f32[t, 8] = Add(%y, %y)
  output "y" = %sum
)");
}

TEST(FuseNorm, NormsMoveIntoAllTheirReaders) {
  expect_rewrite(fuse_norm, R"(
  input %x: f32[t, 8]
  constant %w: f32[4, 8]
  constant %norm: f32[8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
  %n: f32[t, 8] = RmsNorm(%x, %norm) {epsilon=1e-05}
  %y: f32[t, 4] = Linear(%n, %w)
  %z: f32[t, 4] = GatedMlp(%n, %w, %w) {features=4}
  output "y" = %y
  output "z" = %z
)",
                 R"(
  input %x: f32[t, 8]
  constant %w: f32[4, 8]
  constant %norm: f32[8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
  %y: f32[t, 4] = Linear(%x, %w, none, none, %norm) {epsilon=1e-05, norm="rms"}
  %z: f32[t, 4] = GatedMlp(%x, %w, %w, none, none, %norm) {epsilon=1e-05, features=4, norm="rms"}
  output "y" = %y
  output "z" = %z
)");
  expect_rewrite(fuse_norm, R"(
  input %x: f32[t, 4]
  constant %w: f32[4, 4]
  constant %b: f32[4] = [1.0, 2.0, 3.0, 4.0]
  %n: f32[t, 4] = LayerNorm(%x, %b, %b) {epsilon=0.001}
  %y: f32[t, 4] = Linear(%n, %w)
  output "y" = %y
)",
                 R"(
  input %x: f32[t, 4]
  constant %w: f32[4, 4]
  constant %b: f32[4] = [1.0, 2.0, 3.0, 4.0]
  %y: f32[t, 4] = Linear(%x, %w, none, none, %b, %b) {epsilon=0.001, norm="layer"}
  output "y" = %y
)");
}

TEST(FuseNorm, LeavesANormThatIsReadAsItIs) {
  expect_untouched(fuse_norm, R"(
  input %x: f32[t, 8]
  constant %w: f32[8, 8]
  %n: f32[t, 8] = RmsNorm(%x) {epsilon=1e-05}
  %y: f32[t, 8] = Linear(%n, %w, none, %n)
  output "y" = %y
)");
  expect_untouched(fuse_norm, R"(
  input %x: f32[t, 8]
  constant %w: f32[8, 8]
  %n: f32[t, 8] = RmsNorm(%x) {epsilon=1e-05}
  %y: f32[t, 8] = Linear(%n, %w)
  output "y" = %y
  output "n" = %n
)");
  expect_untouched(fuse_norm, R"(
  input %x: f32[t, 8]
  constant %w: f32[8, 8]
  %n: f32[t, 8] = RmsNorm(%x) {epsilon=1e-05, group_size=4}
  %y: f32[t, 8] = Linear(%n, %w)
  output "y" = %y
)");
}

constexpr char kHeads[] = R"(
  input %q: f32[t, 16]
  input %k: f32[t, 8]
  input %v: f32[t, 8]
  input %table: f32[t, 2]
  constant %qn: f32[4] = [1.0, 2.0, 3.0, 4.0]
  constant %kn: f32[4] = [0.5, 0.25, 1.0, 1.5]
)";
constexpr char kAttributes[] = "head_dim=4, heads=4, kv_heads=2, layer=0";

TEST(FuseRope, RopeAndNormsOfHeadsMoveIntoAttention) {
  expect_rewrite(fuse_rope,
                 kHeads + std::string(R"(
  %nq: f32[t, 16] = RmsNorm(%q, %qn) {epsilon=1e-05, group_size=4}
  %nk: f32[t, 8] = RmsNorm(%k, %kn) {epsilon=1e-05, group_size=4}
  %rq: f32[t, 16] = Rope(%nq, %table) {head_dim=4, rotary_dim=2, interleaved=1}
  %rk: f32[t, 8] = Rope(%nk, %table) {head_dim=4, rotary_dim=2, interleaved=1}
  %y: f32[t, 16] = Attention(%rq, %rk, %v) {)") +
                     kAttributes + R"(, scale=0.5}
  output "y" = %y
)",
                 kHeads + std::string(R"(
  %y: f32[t, 16] = Attention(%q, %k, %v, %table, %qn, %kn) {)") +
                     kAttributes + R"(, scale=0.5, interleaved=1, norm_epsilon=1e-05, rotary_dim=2}
  output "y" = %y
)");
}

TEST(FuseRope, ANormOfOtherEpsilonStaysOutside) {
  expect_rewrite(fuse_rope,
                 kHeads + std::string(R"(
  %nq: f32[t, 16] = RmsNorm(%q, %qn) {epsilon=1e-05, group_size=4}
  %nk: f32[t, 8] = RmsNorm(%k, %kn) {epsilon=1e-06, group_size=4}
  %rq: f32[t, 16] = Rope(%nq, %table) {head_dim=4, rotary_dim=2}
  %rk: f32[t, 8] = Rope(%nk, %table) {head_dim=4, rotary_dim=2}
  %y: f32[t, 16] = Attention(%rq, %rk, %v) {)") +
                     kAttributes + R"(, scale=0.5}
  output "y" = %y
)",
                 kHeads + std::string(R"(
  %nq: f32[t, 16] = RmsNorm(%q, %qn) {epsilon=1e-05, group_size=4}
  %nk: f32[t, 8] = RmsNorm(%k, %kn) {epsilon=1e-06, group_size=4}
  %y: f32[t, 16] = Attention(%nq, %nk, %v, %table) {)") +
                     kAttributes + R"(, scale=0.5, rotary_dim=2}
  output "y" = %y
)");
}

TEST(FuseRope, SidesThatTurnDifferentlyStay) {
  expect_untouched(fuse_rope, kHeads + std::string(R"(
  %rq: f32[t, 16] = Rope(%q, %table) {head_dim=4, rotary_dim=2}
  %y: f32[t, 16] = Attention(%rq, %k, %v) {)") +
                                  kAttributes + R"(, scale=0.5}
  output "y" = %y
)");
  expect_untouched(fuse_rope, kHeads + std::string(R"(
  %rq: f32[t, 16] = Rope(%q, %table) {head_dim=4, rotary_dim=2}
  %rk: f32[t, 8] = Rope(%k, %table) {head_dim=4, rotary_dim=2, interleaved=1}
  %y: f32[t, 16] = Attention(%rq, %rk, %v) {)") +
                                  kAttributes + R"(, scale=0.5}
  output "y" = %y
)");
}

}  // namespace
}  // namespace legato::passes
