#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/rounding.h"
#include "passes/pass.h"
#include "passes/testing.h"

namespace legato::passes {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

/// One layer as the importers write it, with all that the passes look for.
constexpr char kLayer[] = R"(
  input %ids: i32[tokens]
  input %positions: i32[tokens]
  input %logit_rows: i32[logit_rows]
  constant %table: f32[3, 16]
  constant %n1: f32[16]
  constant %n2: f32[16]
  constant %wq: f32[16, 16]
  constant %wk: f32[8, 16]
  constant %wv: f32[8, 16]
  constant %wo: f32[16, 16]
  constant %gate: f32[24, 16]
  constant %up: f32[24, 16]
  constant %down: f32[16, 24]
  %h: f32[tokens, 16] = Embedding(%ids, %table)
  %rotary: f32[tokens, 4] = RotaryTable(%positions) {inv_freq=[1.0, 0.5]}
  %a: f32[tokens, 16] = RmsNorm(%h, %n1) {epsilon=1e-05}
  %q: f32[tokens, 16] = Linear(%a, %wq)
  %k: f32[tokens, 8] = Linear(%a, %wk)
  %v: f32[tokens, 8] = Linear(%a, %wv)
  %rq: f32[tokens, 16] = Rope(%q, %rotary) {head_dim=4, rotary_dim=4}
  %rk: f32[tokens, 8] = Rope(%k, %rotary) {head_dim=4, rotary_dim=4}
  %att: f32[tokens, 16] = Attention(%rq, %rk, %v) {head_dim=4, heads=4, kv_heads=2, layer=0, scale=0.5}
  %o: f32[tokens, 16] = Linear(%att, %wo)
  %h1: f32[tokens, 16] = Add(%h, %o)
  %m: f32[tokens, 16] = RmsNorm(%h1, %n2) {epsilon=1e-05}
  %g: f32[tokens, 24] = GatedMlp(%m, %gate, %up) {features=24}
  %d: f32[tokens, 16] = Linear(%g, %down)
  %h2: f32[tokens, 16] = Add(%h1, %d)
  %rows: f32[logit_rows, 16] = Gather(%h2, %logit_rows)
  %last: f32[logit_rows, 16] = RmsNorm(%rows, %n1) {epsilon=1e-05}
  %logits: f32[logit_rows, 3] = Linear(%last, %table)
  output "logits" = %logits
)";

TEST(PassManager, ThePipelineReducesALayerToItsKernels) {
  const ir::Graph original = graph_of(kLayer);
  ir::Graph graph = original;
  std::vector<std::pair<std::string, int64_t>> records;
  for (const PassRecord& record : run_passes(graph, {}))
    records.emplace_back(record.name, record.rewrites);
  using R = std::pair<std::string, int64_t>;
  EXPECT_THAT(records, ElementsAre(R{"fold-constants", 0}, R{"cast-weights", 0}, R{"pack-qkv", 1},
                                   R{"pack-gate-up", 1}, R{"fuse-residual", 2}, R{"fuse-norm", 3},
                                   R{"fuse-rope", 1}, R{"choose-activation-bits", 0},
                                   R{"eliminate-dead-code", 0}));
  std::vector<std::string> ops;
  for (const ir::NodeId id : graph.order()) ops.push_back(graph.node(id).op);
  EXPECT_THAT(ops, ElementsAre("Embedding", "RotaryTable", "Linear", "Slice", "Slice", "Slice",
                               "Attention", "Linear", "GatedMlp", "Linear", "Gather", "Linear"));
  EXPECT_LE(relative_difference(original, graph), kernels::sum_tolerance(64));
}

TEST(PassManager, APassCanBeLeftOutByName) {
  ir::Graph graph = graph_of(kLayer);
  PassOptions options;
  options.disabled = {"fuse-norm"};
  const auto records = run_passes(graph, options);
  EXPECT_EQ(records.size(), pipeline().size() - 1);
  EXPECT_THAT(print(graph), HasSubstr("RmsNorm"));
  options.disabled = {"fuse-nrom"};
  EXPECT_THAT(catch_error([&] { run_passes(graph, options); }).to_string(),
              HasSubstr("\"fuse-nrom\" is no pass, expected one of fold-constants,"));
}

TEST(PassManager, APassThatBreaksTheGraphIsNamed) {
  ir::Graph graph = graph_of(R"(
  input %x: f32[t, 4]
  constant %w: f32[4, 4]
  %y: f32[t, 4] = Linear(%x, %w)
  %z: f32[t, 4] = Linear(%y, %w)
  output "z" = %z
)");
  const Pass breaking{"make-a-cycle", "", [](ir::Graph& g, const PassOptions&) -> int64_t {
                        const ir::Node first = g.node(0);
                        g.update(0, {g.node(1).outputs[0], first.inputs[1]}, first.attributes);
                        return 1;
                      }};
  EXPECT_THAT(catch_error([&] {
                run_passes(graph, {}, {&breaking, 1});
              }).to_string(),
              HasSubstr("after pass make-a-cycle"));
}

TEST(EliminateDeadCode, OnlyWhatOutputsNeedStays) {
  ir::Graph graph = graph_of(R"(
  input %x: f32[t, 4]
  constant %w: f32[4, 4]
  %a: f32[t, 4] = Linear(%x, %w)
  %b: f32[t, 4] = Linear(%a, %w)
  %c: f32[t, 4] = Linear(%b, %w)
  %d: f32[t, 4] = Linear(%a, %w)
  output "d" = %d
)");
  EXPECT_EQ(eliminate_dead_code(graph, {}), 2);
  EXPECT_EQ(print(graph), print(graph_of(R"(
  input %x: f32[t, 4]
  constant %w: f32[4, 4]
  %a: f32[t, 4] = Linear(%x, %w)
  %d: f32[t, 4] = Linear(%a, %w)
  output "d" = %d
)")));
}

TEST(FoldConstants, WhatHangsOnConstantsIsComputedOnce) {
  const ir::Graph original = graph_of(R"(
  input %x: f32[t, 3]
  constant %a: f32[3] = [1.0, 2.0, 3.0]
  constant %b: f32[1] = [10.0]
  %sum: f32[3] = Add(%a, %b)
  %twice: f32[3] = Add(%sum, %sum)
  %y: f32[t, 3] = Add(%x, %twice)
  output "y" = %y
)");
  ir::Graph graph = original;
  EXPECT_EQ(fold_constants(graph, {}), 2);
  EXPECT_EQ(print(graph), R"(graph {
  input %x: f32[t, 3]
  constant %twice.1: f32[3] = [22.0, 24.0, 26.0]
  %y: f32[t, 3] = Add(%x, %twice.1)
  output "y" = %y
}
)");
  EXPECT_EQ(relative_difference(original, graph), 0);
}

TEST(FoldConstants, ShapesThatAreKnownBecomeConstants) {
  const ir::Graph original = graph_of(R"(
  input %x: f32[t, 6]
  constant %last: i64[1] = [1]
  constant %rest: i64[2] = [-1, 2]
  constant %two: i64[1] = [2]
  %shape: i64[2] = Shape(%x)
  %width: i64[1] = Gather(%shape, %last)
  %half: i64[1] = Div(%width, %two)
  %target: i64[3] = Concat(%rest, %half) {axis=0}
  %y: f32[t, 2, 3] = Reshape(%x, %target)
  output "y" = %y
)");
  ir::Graph graph = original;
  EXPECT_EQ(fold_constants(graph, {}), 3);
  EXPECT_THAT(print(graph), HasSubstr("constant %target.1: i64[3] = [-1, 2, 3]\n"
                                      "  %y: f32[t, 2, 3] = Reshape(%x, %target.1)\n"));
  EXPECT_EQ(relative_difference(original, graph), 0);
}

/// A weight that must not be read whole at compile time.
class Unread final : public ir::Constant {
 public:
  Unread() : Constant(DType::kF32, {1 << 20, 1 << 20}) {}
  void read_rows(int64_t, int64_t, std::byte*) const override {
    throw Error(Code::kIo, "weight", "was read");
  }
};

TEST(FoldConstants, ATurnedOrConvertedMatrixIsNotRead) {
  ir::Graph graph;
  const ir::ValueId w = graph.add_constant("w", std::make_shared<Unread>());
  const ir::ValueId turned =
      graph.add("Transpose", "turned", {w}, {{"perm", std::vector<int64_t>{1, 0}}});
  graph.add_output("half", graph.add("Cast", "half", {turned}, {{"to", std::string("f16")}}));
  graph.add_output("sum", graph.add("Add", "sum", {w, w}));
  EXPECT_EQ(fold_constants(graph, {}), 2);
  EXPECT_THAT(print(graph), HasSubstr("constant %half.1: f16[1048576, 1048576]\n"));
  EXPECT_THAT(print(graph), HasSubstr("Add(%w, %w)"));
}

}  // namespace
}  // namespace legato::passes
