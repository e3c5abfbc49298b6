#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/op.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {
using testing::HasSubstr;

constexpr char kInputs[] = R"(graph {
  input %x: f32[b, t, 8]
  input %s: f32[2, 3, 4]
  input %m: f32[8, 5]
  input %v: f32[8]
  input %ids: i64[t]
  input %flags: bool[b, t, 8]
  input %n: i64[3]
  constant %one: i64[] = [1]
}
)";

/// Type of a node on the inputs above, or why it is refused.
std::string type_of(const std::string& op, const std::vector<std::string>& inputs,
                    Attributes attributes = {}) {
  std::string result;
  const Status status = catch_error([&] {
    Graph graph = parse(kInputs);
    std::vector<ValueId> ids;
    for (const std::string& name : inputs) {
      ValueId id = kNone;
      for (size_t i = 0; i < graph.num_values(); ++i)
        if (graph.value(static_cast<ValueId>(i)).name == name) id = static_cast<ValueId>(i);
      ids.push_back(id);
    }
    const ValueId y = graph.add(op, "n", ids, std::move(attributes));
    graph.add_output("y", y);
    verify(graph);
    result = type_text(graph.value(y).type);
  });
  return status.ok() ? result : status.to_string();
}

using Ints = std::vector<int64_t>;

TEST(Primitives, ElementwiseOpsBroadcast) {
  EXPECT_EQ(type_of("Add", {"x", "v"}), "f32[b, t, 8]");
  EXPECT_EQ(type_of("Mul", {"v", "x"}), "f32[b, t, 8]");
  EXPECT_EQ(type_of("Less", {"x", "v"}), "bool[b, t, 8]");
  EXPECT_EQ(type_of("Where", {"flags", "v", "x"}), "f32[b, t, 8]");
  EXPECT_THAT(type_of("Add", {"s", "v"}), HasSubstr("axis 2 is 4 and 8"));
  EXPECT_THAT(type_of("Add", {"x", "ids"}), HasSubstr("input 1 (b) is i64[t], expected f32"));
  EXPECT_THAT(type_of("Add", {"flags", "flags"}), HasSubstr("expected numbers"));
  EXPECT_THAT(type_of("And", {"x", "x"}), HasSubstr("expected bool"));
  EXPECT_THAT(type_of("Sqrt", {"ids"}), HasSubstr("floating-point"));
  EXPECT_EQ(type_of("Cast", {"x"}, {{"to", std::string("f16")}}), "f16[b, t, 8]");
  EXPECT_THAT(type_of("Cast", {"x"}, {{"to", std::string("f12")}}), HasSubstr("\"f12\""));
}

TEST(Primitives, MatMulTakesVectorsAndBatches) {
  EXPECT_EQ(type_of("MatMul", {"x", "m"}), "f32[b, t, 5]");
  EXPECT_EQ(type_of("MatMul", {"v", "m"}), "f32[5]");
  EXPECT_EQ(type_of("MatMul", {"x", "v"}), "f32[b, t]");
  EXPECT_EQ(type_of("MatMul", {"v", "v"}), "f32[]");
  EXPECT_THAT(type_of("MatMul", {"s", "m"}), HasSubstr("summed over is 4 and 8"));
}

TEST(Primitives, ReductionsKeepOrDropAxes) {
  EXPECT_EQ(type_of("ReduceMean", {"x"}, {{"axes", Ints{-1}}}), "f32[b, t, 1]");
  EXPECT_EQ(type_of("ReduceSum", {"x"}, {{"axes", Ints{0, 2}}, {"keepdims", int64_t{0}}}),
            "f32[t]");
  EXPECT_EQ(type_of("ReduceMax", {"x"}, {{"keepdims", int64_t{0}}}), "f32[]");
  EXPECT_THAT(type_of("ReduceMin", {"x"}, {{"axes", Ints{3}}}), HasSubstr("outside [-3, 3)"));
  EXPECT_THAT(type_of("Softmax", {"x"}, {{"axis", int64_t{3}}}), HasSubstr("outside"));
}

TEST(Primitives, ReshapeInfersWhatIsLeft) {
  EXPECT_EQ(type_of("Reshape", {"x"}, {{"shape", Ints{0, 0, 2, 4}}}), "f32[b, t, 2, 4]");
  EXPECT_EQ(type_of("Reshape", {"x"}, {{"shape", Ints{-1, 8}}}), "f32[b*t, 8]");
  EXPECT_EQ(type_of("Reshape", {"x"}, {{"shape", Ints{0, -1}}}), "f32[b, 8*t]");
  EXPECT_EQ(type_of("Reshape", {"s"}, {{"shape", Ints{4, -1}}}), "f32[4, 6]");
  EXPECT_EQ(type_of("Reshape", {"s", "n"}), "f32[dim:n:0, dim:n:1, dim:n:2]");
  EXPECT_THAT(type_of("Reshape", {"s"}, {{"shape", Ints{5, -1}}}), HasSubstr("24 elements"));
  EXPECT_THAT(type_of("Reshape", {"s"}, {{"shape", Ints{5, 5}}}), HasSubstr("has 24 elements"));
  EXPECT_THAT(type_of("Reshape", {"s"}, {{"shape", Ints{-1, -1}}}), HasSubstr("two extents"));
  EXPECT_THAT(type_of("Reshape", {"s"}), HasSubstr("shape is missing"));
  EXPECT_THAT(type_of("Reshape", {"s", "n"}, {{"shape", Ints{24}}}), HasSubstr("one of them"));
}

TEST(Primitives, SliceClampsItsBounds) {
  const auto slice = [](const std::string& input, Ints starts, Ints ends, Ints axes, Ints steps) {
    return type_of("Slice", {input},
                   {{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", steps}});
  };
  EXPECT_EQ(slice("s", {1}, {100}, {1}, {1}), "f32[2, 2, 4]");
  EXPECT_EQ(slice("s", {-3}, {-1}, {2}, {1}), "f32[2, 3, 2]");
  EXPECT_EQ(slice("s", {0}, {4}, {2}, {3}), "f32[2, 3, 2]");
  EXPECT_EQ(slice("s", {-1}, {-100}, {2}, {-1}), "f32[2, 3, 4]");
  EXPECT_EQ(slice("s", {3}, {1}, {2}, {1}), "f32[2, 3, 0]");
  EXPECT_EQ(slice("x", {1}, {INT64_MAX}, {1}, {1}), "f32[b, t - 1, 8]");
  EXPECT_EQ(slice("x", {-1}, {INT64_MAX}, {1}, {1}), "f32[b, 1, 8]");
  EXPECT_EQ(slice("x", {0}, {-1}, {1}, {1}), "f32[b, t - 1, 8]");
  EXPECT_EQ(slice("x", {0}, {INT64_MAX}, {1}, {2}), "f32[b, dim:n:1, 8]");
  EXPECT_THAT(slice("s", {0}, {1}, {2}, {0}), HasSubstr("step is 0"));
  EXPECT_THAT(slice("s", {0}, {1, 2}, {2}, {1}), HasSubstr("2 ends for 1 axes"));
}

TEST(Primitives, ShapesMoveAndJoin) {
  EXPECT_EQ(type_of("Transpose", {"x"}, {{"perm", Ints{2, 0, 1}}}), "f32[8, b, t]");
  EXPECT_THAT(type_of("Transpose", {"x"}, {{"perm", Ints{0, 0, 1}}}), HasSubstr("no order"));
  EXPECT_EQ(type_of("Concat", {"x", "x"}, {{"axis", int64_t{1}}}), "f32[b, 2*t, 8]");
  EXPECT_THAT(type_of("Concat", {"s", "s", "x"}, {{"axis", int64_t{0}}}), HasSubstr("axis 2"));
  EXPECT_EQ(type_of("Unsqueeze", {"v"}, {{"axes", Ints{0, -1}}}), "f32[1, 8, 1]");
  EXPECT_THAT(type_of("Unsqueeze", {"v"}, {{"axes", Ints{0, 0}}}), HasSubstr("twice"));
  EXPECT_EQ(type_of("Squeeze", {"x"}, {{"axes", Ints{0}}}), "f32[t, 8]");
  EXPECT_THAT(type_of("Squeeze", {"x"}, {{"axes", Ints{2}}}), HasSubstr("axis 2 is 8"));
  EXPECT_EQ(type_of("Expand", {"v"}, {{"shape", Ints{3, 1}}}), "f32[3, 8]");
  EXPECT_EQ(type_of("Tile", {"x"}, {{"repeats", Ints{1, 2, 3}}}), "f32[b, 2*t, 24]");
  EXPECT_EQ(type_of("Gather", {"x", "one"}, {{"axis", int64_t{1}}}), "f32[b, 8]");
  EXPECT_EQ(type_of("Gather", {"m", "ids"}), "f32[t, 5]");
  EXPECT_EQ(type_of("Trilu", {"x"}), "f32[b, t, 8]");
  EXPECT_EQ(type_of("Shape", {"x"}, {{"start", int64_t{-2}}}), "i64[2]");
  EXPECT_EQ(type_of("ConstantOfShape", {}, {{"shape", Ints{2, 3}}}), "f32[2, 3]");
}

TEST(Primitives, SplitTellsItsParts) {
  Graph graph = parse(kInputs);
  const auto split = [&](Attributes attributes, size_t outputs) {
    std::string text;
    const Status status = catch_error([&] {
      const NodeId id = graph.add_node("Split", "", {1}, std::move(attributes), outputs);
      for (const ValueId output : graph.node(id).outputs)
        text += type_text(graph.value(output).type) + " ";
    });
    return status.ok() ? text : status.to_string();
  };
  EXPECT_EQ(split({{"axis", int64_t{2}}, {"split", Ints{1, 3}}}, 2), "f32[2, 3, 1] f32[2, 3, 3] ");
  EXPECT_EQ(split({{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}}, 3),
            "f32[2, 3, 2] f32[2, 3, 2] f32[2, 3, 0] ");
  EXPECT_THAT(split({{"axis", int64_t{2}}, {"split", Ints{1, 2}}}, 2), HasSubstr("add up to 3"));
  EXPECT_THAT(split({{"axis", int64_t{2}}, {"split", Ints{1, 3}}}, 3), HasSubstr("has 3 outputs"));
  EXPECT_THAT(split({{"axis", int64_t{2}}}, 1), HasSubstr("split or num_outputs"));
}

TEST(Primitives, BehaviourAlongTheSequenceAxis) {
  Graph graph = parse(kInputs);
  const auto behaviour = [&](const std::string& op, std::vector<ValueId> inputs,
                             Attributes attributes, int axis) {
    const ValueId y = graph.add(op, "", std::move(inputs), std::move(attributes));
    const Node& node = *graph.producer(y);
    return std::string(behaviour_name(ops().find(op)->behaviour({graph, node}, axis)));
  };
  EXPECT_EQ(behaviour("Add", {0, 0}, {}, 1), "token-local");
  EXPECT_EQ(behaviour("MatMul", {0, 2}, {}, 1), "token-local");
  EXPECT_EQ(behaviour("MatMul", {0, 2}, {}, 2), "reduction");
  EXPECT_EQ(behaviour("Softmax", {0}, {}, 1), "token-local");
  EXPECT_EQ(behaviour("ReduceMean", {0}, {{"axes", Ints{1}}}, 1), "reduction");
  EXPECT_EQ(behaviour("Concat", {0, 0}, {{"axis", int64_t{1}}}, 1), "shift");
  EXPECT_EQ(behaviour("Slice", {0}, {{"starts", Ints{0}}, {"ends", Ints{1}}}, 0), "shift");
  EXPECT_EQ(behaviour("Trilu", {0}, {}, 1), "positional");
  EXPECT_EQ(behaviour("Reshape", {0}, {{"shape", Ints{-1}}}, 1), "opaque");
}

}  // namespace
}  // namespace legato::ir
