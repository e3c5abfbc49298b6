#include "passes/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "passes/testing.h"

namespace legato::passes {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kSum[] = R"(
  input %x: f32[t, 2]
  input %y: f32[t, 2]
  %sum: f32[t, 2] = Add(%x, %y)
  output "first" = %sum
  output "second" = %x
)";

TEST(Evaluator, ReturnsOutputsInOrder) {
  const auto outputs =
      evaluate(graph_of(kSum), {{"x", f32({1, 2}, {1, 2})}, {"y", f32({1, 2}, {10, 20})}});
  EXPECT_THAT(elements_of(outputs[0]), ElementsAre(11, 22));
  EXPECT_THAT(elements_of(outputs[1]), ElementsAre(1, 2));
}

TEST(Evaluator, RefusesInputsThatDoNotFit) {
  const ir::Graph graph = graph_of(kSum);
  const auto refusal = [&](const std::map<std::string, Tensor>& inputs) {
    return catch_error([&] { evaluate(graph, inputs); }).to_string();
  };
  const Tensor x = f32({1, 2}, {1, 2});
  EXPECT_THAT(refusal({{"x", x}}), HasSubstr("input \"y\": is missing"));
  EXPECT_THAT(refusal({{"x", x}, {"y", i32({1, 2}, {1, 2})}}),
              HasSubstr("is i32[1, 2], expected f32[t, 2]"));
  EXPECT_THAT(refusal({{"x", x}, {"y", f32({1, 3}, {1, 2, 3})}}), HasSubstr("expected f32[t, 2]"));
  EXPECT_THAT(refusal({{"x", f32({2, 2}, {1, 2, 3, 4})}, {"y", f32({3, 2}, {1, 2, 3, 4, 5, 6})}}),
              HasSubstr("don't broadcast"));
}

}  // namespace
}  // namespace legato::passes
