#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ir/graph.h"

namespace legato::ir {
namespace {
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const std::string& text) {
  const Status status = catch_error([&] { parse(text); });
  return status.ok() ? "accepted" : status.to_string();
}

constexpr char kText[] = R"(graph {
  metadata "kv.dtype" = "f32"
  input %input_ids: i32[tokens]
  constant %table: bf16[300, 8]
  constant %order: i64[2, 2] = [3, 2, -1, 9223372036854775807]
  constant %w: f16[4, 8]
  constant %bias: f32[4] = [1.0, -0.1, inf, nan]
  %hidden: f32[tokens, 8] = Embedding(%input_ids, %table)
  %"a b": f32[tokens, 4] = Linear(%hidden, %w, %bias) {activation="silu", epsilon=1e-05, norm="rms"} "model.layers.0"
  output "logits \"1\"" = %"a b"
  output "order" = %order
}
)";

TEST(GraphText, RoundTrips) { EXPECT_EQ(print(parse(kText)), kText); }

TEST(GraphText, ConstantsComeFromTheLookup) {
  std::vector<std::string> asked;
  const Graph graph = parse(kText, [&](const std::string& name, DType dtype, const Shape& shape) {
    asked.push_back(name);
    return random_normal(dtype, shape, 3, 1.0f);
  });
  EXPECT_THAT(asked, testing::ElementsAre("table", "w"));
  EXPECT_EQ(print(graph), kText);
}

TEST(GraphText, KeepsNumbersExactly) {
  Graph graph;
  Tensor tensor(DType::kF32, {3});
  tensor.data<float>()[0] = 0.1f;
  tensor.data<float>()[1] = std::numeric_limits<float>::denorm_min();
  tensor.data<float>()[2] = -0.0f;
  graph.add_output("y", graph.add_constant("c", constant_from_tensor(tensor)));
  const Graph again = parse(print(graph));
  const Tensor back = again.value(again.outputs()[0].value).constant->load();
  EXPECT_EQ(0, memcmp(back.raw().data(), tensor.raw().data(), 12));
}

TEST(GraphText, RefusalsNameLineAndColumn) {
  EXPECT_THAT(refusal(""), StartsWith("line 1, column 1: expected \"graph\", got the end"));
  EXPECT_THAT(refusal("graph {\n  input %x f32[2]\n}"),
              StartsWith("line 2, column 12: expected ':', got \"f32[2]\""));
  EXPECT_THAT(refusal("graph {\n  input %x: f31[2]\n}"), StartsWith("line 2, column 13: \"f31\""));
  EXPECT_THAT(refusal("graph {\n  input %x: f32[2*]\n}"), HasSubstr("not a dimension"));
  EXPECT_THAT(refusal("graph {\n %y: f32[2] = RmsNorm(%x) {epsilon=1.0}\n}"),
              StartsWith("line 2, column 24: %x is not defined above"));
  EXPECT_THAT(refusal("graph {\n input %x: f32[2]\n %y: f32[3] = RmsNorm(%x) {epsilon=1.0}\n}"),
              StartsWith("line 3, column 3: %y: is declared f32[3], inferred f32[2]"));
  EXPECT_THAT(refusal("graph { output \"a\n\" = %x }"), HasSubstr("before the line does"));
  EXPECT_THAT(refusal("graph { output \"a\\q\" = %x }"), HasSubstr("backslash"));
  EXPECT_THAT(refusal("graph {} x"), HasSubstr("expected the end"));
}

TEST(GraphText, HostileTextIsBounded) {
  EXPECT_THAT(refusal("graph { constant %x: f32[99999999999, 99999999999, 99999999999] }"),
              HasSubstr("64 bits"));
  EXPECT_THAT(refusal("graph { constant %x: i8[1000] = [1] }"), HasSubstr("at most 64"));
  EXPECT_THAT(refusal("graph { constant %x: i8[1] = [300] }"), HasSubstr("out of range for i8"));
  EXPECT_THAT(refusal("graph { constant %x: i8[1000] }"), HasSubstr("no elements"));
  EXPECT_THAT(refusal(std::string(5 << 20, ' ')), HasSubstr("at most"));
  EXPECT_THAT(refusal("graph { input %x: f32[" + std::string(5000, 'a') + "] }"),
              HasSubstr("4096 characters"));
}

}  // namespace
}  // namespace legato::ir
