#include "ir/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace legato::ir {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

const Dim kTokens = Dim::symbol("tokens");

std::string refusal(const std::function<void()>& body) {
  const Status status = catch_error(body);
  return status.ok() ? "accepted" : status.to_string();
}

/// x -> norm -> linear -> norm, with one output.
struct Chain {
  Chain() {
    x = graph.add_input("x", {DType::kF32, {kTokens, 8}});
    first = graph.add("RmsNorm", "first", {x}, {{"epsilon", 1e-5}});
    weight = graph.add_constant("w", random_normal(DType::kF32, {4, 8}, 1, 1.0f));
    linear = graph.add("Linear", "linear", {first, weight});
    last = graph.add("RmsNorm", "last", {linear}, {{"epsilon", 1e-5}});
    graph.add_output("y", last);
  }
  Graph graph;
  ValueId x, first, weight, linear, last;
};

TEST(Graph, InfersTypesAndFillsDefaults) {
  Chain chain;
  verify(chain.graph);
  EXPECT_EQ(chain.graph.value(chain.last).type, (ValueType{DType::kF32, {kTokens, 4}}));
  EXPECT_EQ(chain.graph.producer(chain.linear)->attributes.get_string("activation"), "none");
  EXPECT_EQ(chain.graph.users(chain.x), std::vector<NodeId>{0});
}

TEST(Graph, OrderFollowsProducersAfterAnUpdate) {
  Chain chain;
  const ValueId scaled = chain.graph.add("LayerNorm", "late", {chain.x}, {{"epsilon", 1e-5}});
  chain.graph.update(1, {scaled, chain.weight}, {});
  EXPECT_THAT(chain.graph.order(), ElementsAre(0, 3, 1, 2));
  verify(chain.graph);
}

TEST(Graph, UpdateInfersWhatDependsOnIt) {
  Chain chain;
  const ValueId wider =
      chain.graph.add_constant("wide", random_normal(DType::kF32, {6, 8}, 1, 1.0f));
  chain.graph.update(1, {chain.first, wider}, {});
  EXPECT_EQ(chain.graph.value(chain.last).type.shape, (SymShape{kTokens, 6}));
  verify(chain.graph);
}

TEST(Graph, ACycleIsRefused) {
  Chain chain;
  const ValueId square =
      chain.graph.add_constant("square", random_normal(DType::kF32, {4, 4}, 1, 1.0f));
  chain.graph.update(1, {chain.linear, square}, {});
  EXPECT_THAT(refusal([&] { verify(chain.graph); }), HasSubstr("depends on its own output"));
}

TEST(Graph, EraseKeepsWhatIsRead) {
  Chain chain;
  EXPECT_THAT(refusal([&] { chain.graph.erase(0); }), HasSubstr("while its output is read"));
  EXPECT_THAT(refusal([&] { chain.graph.erase(2); }), HasSubstr("while its output is read"));
  chain.graph.set_output(0, chain.linear);
  chain.graph.erase(2);
  EXPECT_TRUE(chain.graph.users(chain.linear).empty());
  EXPECT_EQ(chain.graph.unique_name("last"), "last");
  verify(chain.graph);
}

TEST(Graph, ReplaceUsesMovesReadersAndOutputs) {
  Chain chain;
  const ValueId other = chain.graph.add("RmsNorm", "other", {chain.linear}, {{"epsilon", 1e-6}});
  chain.graph.replace_uses(chain.last, other);
  EXPECT_EQ(chain.graph.outputs()[0].value, other);
  chain.graph.erase(2);
  EXPECT_THAT(refusal([&] { chain.graph.replace_uses(other, chain.x); }),
              HasSubstr("f32[tokens, 4], its replacement x f32[tokens, 8]"));
}

TEST(Graph, NamesAreUnique) {
  Chain chain;
  EXPECT_THAT(refusal([&] { chain.graph.add_input("x", {}); }), HasSubstr("taken"));
  EXPECT_THAT(refusal([&] {
                chain.graph.add("RmsNorm", "last", {chain.x}, {{"epsilon", 1e-5}});
              }),
              HasSubstr("taken"));
  EXPECT_EQ(chain.graph.unique_name("x"), "x.1");
}

TEST(Graph, RefusesTypesThatExplode) {
  Graph graph;
  const Dim huge = int64_t{1} << 40;
  const auto add = [&](SymShape shape) {
    return refusal([&] { graph.add_input("x", {DType::kF32, std::move(shape)}); });
  };
  EXPECT_THAT(add({huge, huge}), HasSubstr("2^56"));
  EXPECT_THAT(add({-1}), HasSubstr("negative"));
  Dim power(1);
  for (int i = 0; i < 9; ++i) power = power * kTokens;
  EXPECT_THAT(add({power}), HasSubstr("too complex"));
  EXPECT_THAT(add({1, 1, 1, 1, 1, 1, 1, 1, 1}), HasSubstr("8 axes"));
}

TEST(Graph, AttributesAreJudgedByTheSchema) {
  Graph graph;
  const ValueId x = graph.add_input("x", {DType::kF32, {kTokens, 8}});
  const auto add = [&](Attributes attributes) {
    return refusal([&] { graph.add("RmsNorm", "n", {x}, std::move(attributes)); });
  };
  EXPECT_THAT(add({}), HasSubstr("\"epsilon\" is missing"));
  EXPECT_THAT(add({{"epsilon", std::string("a")}}), HasSubstr("is a string, expected a number"));
  EXPECT_THAT(add({{"epsilon", 1e-5}, {"eps", 1.0}}), HasSubstr("no attribute \"eps\""));
  EXPECT_THAT(refusal([&] { graph.add("Nope", "n", {x}); }), HasSubstr("node \"n\" (Nope)"));
  EXPECT_EQ(add({{"epsilon", int64_t{1}}}), "accepted");
}

}  // namespace
}  // namespace legato::ir
