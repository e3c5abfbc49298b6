#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph.h"

namespace legato::ir {
namespace {

/// The chains that exporters write to compute a shape, and what comes out of them.
struct Chain {
  Graph graph;
  ValueId x = graph.add_input("x", {DType::kF32, {Dim::symbol("b"), Dim::symbol("t"), 64}});

  ValueId number(int64_t value) {
    Tensor tensor(DType::kI64, {1});
    tensor.data<int64_t>()[0] = value;
    return graph.add_constant(graph.unique_name("c"), constant_from_tensor(tensor));
  }
  ValueId extent(int64_t axis) {
    const ValueId shape = graph.add("Shape", "", {x});
    return graph.add("Gather", "", {shape, number(axis)});
  }
  ValueId add(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    return graph.add(op, "", std::move(inputs), std::move(attributes));
  }
  std::string shape(ValueId id) const { return graph.value(id).type.shape.to_string(); }
};

TEST(ShapeChains, HeadsAreSplitOffThroughGatherAndConcat) {
  Chain c;
  const ValueId target = c.add("Concat", {c.extent(0), c.extent(1), c.number(8), c.number(-1)},
                               {{"axis", int64_t{0}}});
  EXPECT_EQ(c.shape(c.add("Reshape", {c.x, target})), "[b, t, 8, 8]");
}

TEST(ShapeChains, ArithmeticOnExtents) {
  Chain c;
  const ValueId doubled = c.add("Mul", {c.extent(1), c.number(2)});
  const ValueId half = c.add("Div", {c.extent(2), c.number(2)});
  const ValueId target = c.add("Concat", {c.extent(0), doubled, half}, {{"axis", int64_t{0}}});
  EXPECT_EQ(c.shape(c.add("Reshape", {c.x, target})), "[b, 2*t, 32]");
}

TEST(ShapeChains, ScalarsOfRangeFollowTheSequence) {
  Chain c;
  const ValueId length = c.add("Squeeze", {c.extent(1)}, {{"axes", std::vector<int64_t>{0}}});
  const auto scalar = [&](int64_t value) {
    return c.add("Squeeze", {c.number(value)}, {{"axes", std::vector<int64_t>{0}}});
  };
  EXPECT_EQ(c.shape(c.add("Range", {scalar(0), length, scalar(1)})), "[t]");
  EXPECT_EQ(c.shape(c.add("Range", {scalar(2), scalar(9), scalar(3)})), "[3]");
  EXPECT_EQ(c.shape(c.add("Range", {scalar(9), scalar(2), scalar(-3)})), "[3]");
  EXPECT_THAT(c.shape(c.add("Range", {scalar(0), length, scalar(2)})),
              testing::HasSubstr("dim:Range"));
}

TEST(ShapeChains, ExpandByWhereOfMinusOne) {
  // torch writes Expand(x, Where(shape == -1, 1, shape)).
  Chain c;
  const ValueId wanted =
      c.add("Concat", {c.extent(0), c.number(-1), c.number(64)}, {{"axis", int64_t{0}}});
  const ValueId ones = c.add("ConstantOfShape", {c.add("Shape", {wanted})},
                             {{"value", 1.0}, {"dtype", std::string("i64")}});
  const ValueId minus = c.add("Mul", {ones, c.number(-1)});
  const ValueId target = c.add("Where", {c.add("Equal", {wanted, minus}), ones, wanted});
  EXPECT_EQ(c.shape(c.add("Expand", {c.x, target})), "[b, t, 64]");
}

TEST(ShapeChains, SliceOfATableByTheLength) {
  Chain c;
  const ValueId table =
      c.graph.add_constant("table", random_normal(DType::kF32, {1024, 64}, 1, 1.0f));
  EXPECT_EQ(c.shape(c.add("Slice", {table, c.number(0), c.extent(1), c.number(0)})), "[t, 64]");
}

TEST(ShapeChains, AnUpdateOfTheSourceReachesTheEnd) {
  Chain c;
  const ValueId n = c.add("Identity", {c.x});
  const ValueId shape = c.add("Shape", {n});
  const ValueId y = c.add("ConstantOfShape", {shape});
  const ValueId z = c.graph.add_input("z", {DType::kF32, {5, 6}});
  c.graph.add_output("y", y);
  c.graph.update(c.graph.value(n).producer, {z}, {});
  EXPECT_EQ(c.shape(y), "[5, 6]");
  verify(c.graph);
}

TEST(ShapeChains, KnownElementsDoNotExplode) {
  // Each step squares an extent: followed only as far as a graph may hold it.
  Chain c;
  ValueId size = c.extent(1);
  for (int i = 0; i < 40; ++i) size = c.add("Mul", {size, size});
  ValueId sum = c.extent(0);
  for (int i = 0; i < 200; ++i) sum = c.add("Add", {sum, sum});
  EXPECT_FALSE(c.graph.value(size).known.has_value());
  const ValueId y = c.add("ConstantOfShape", {size});
  EXPECT_THAT(c.shape(y), testing::HasSubstr("dim:ConstantOfShape"));
}

}  // namespace
}  // namespace legato::ir
