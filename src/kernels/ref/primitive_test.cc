#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/cpu/team.h"
#include "kernels/tactic.h"
#include "passes/testing.h"

namespace legato::kernels {
namespace {
using passes::elements_of;
using passes::evaluate_node;
using passes::f32;
using passes::i64;
using testing::ElementsAre;
using testing::ElementsAreArray;

using Ints = std::vector<int64_t>;

std::vector<Tensor> run(const std::string& op, const std::vector<Tensor>& inputs,
                        Attributes attributes = {}, size_t outputs = 1) {
  ir::Node node{op, "node", std::move(attributes), {}, std::vector<ir::ValueId>(outputs, 0)};
  std::vector<const Tensor*> operands;
  for (const Tensor& input : inputs) operands.push_back(&input);
  return evaluate_node(node, operands);
}

std::vector<double> result(const std::string& op, const std::vector<Tensor>& inputs,
                           Attributes attributes = {}) {
  return elements_of(run(op, inputs, std::move(attributes))[0]);
}

Tensor bools(Shape shape, const std::vector<int64_t>& elements) {
  return passes::tensor_of(DType::kBool, shape, elements);
}

TEST(ReferencePrimitives, UnaryFormulas) {
  const Tensor x = f32({3}, {-1.5, 0.25, 2});
  const std::map<std::string, double (*)(double)> formulas = {
      {"Exp", [](double v) { return std::exp(v); }},
      {"Tanh", [](double v) { return std::tanh(v); }},
      {"Erf", [](double v) { return std::erf(v); }},
      {"Sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }},
      {"Silu", [](double v) { return v / (1 + std::exp(-v)); }},
      {"Softplus", [](double v) { return std::log(1 + std::exp(v)); }},
      {"Gelu", [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2.0))); }},
      {"Sin", [](double v) { return std::sin(v); }},
      {"Cos", [](double v) { return std::cos(v); }},
      {"Reciprocal", [](double v) { return 1 / v; }},
      {"Neg", [](double v) { return -v; }},
      {"Abs", [](double v) { return v < 0 ? -v : v; }},
      {"Relu", [](double v) { return v < 0 ? 0 : v; }}};
  for (const auto& [op, formula] : formulas) {
    const std::vector<double> y = result(op, {x});
    for (size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(y[i], formula(elements_of(x)[i]), 1e-6) << op << " " << i;
  }
  EXPECT_THAT(result("Sqrt", {f32({2}, {4, 0.25})}), ElementsAre(2, 0.5));
  EXPECT_THAT(result("Floor", {x}), ElementsAre(-2, 0, 2));
  EXPECT_THAT(result("Ceil", {x}), ElementsAre(-1, 1, 2));
  EXPECT_THAT(result("Round", {f32({4}, {0.5, 1.5, 2.5, -0.75})}), ElementsAre(0, 2, 2, -1));
  EXPECT_THAT(result("Sign", {x}), ElementsAre(-1, 1, 1));
  EXPECT_THAT(result("IsNaN", {f32({2}, {NAN, 1})}), ElementsAre(1, 0));
  EXPECT_THAT(result("Not", {bools({2}, {1, 0})}), ElementsAre(0, 1));
}

TEST(ReferencePrimitives, BinaryFormulasBroadcast) {
  const Tensor a = f32({2, 1}, {6, -2});
  const Tensor b = f32({2}, {3, 2});
  EXPECT_THAT(result("Add", {a, b}), ElementsAre(9, 8, 1, 0));
  EXPECT_THAT(result("Sub", {a, b}), ElementsAre(3, 4, -5, -4));
  EXPECT_THAT(result("Mul", {a, b}), ElementsAre(18, 12, -6, -4));
  EXPECT_THAT(result("Div", {b, a}), ElementsAre(0.5, 2 / 6.0f, -1.5, -1));
  EXPECT_THAT(result("Pow", {a, b}), ElementsAre(216, 36, -8, 4));
  EXPECT_THAT(result("Min", {a, b}), ElementsAre(3, 2, -2, -2));
  EXPECT_THAT(result("Max", {a, b}), ElementsAre(6, 6, 3, 2));
  EXPECT_THAT(result("Less", {a, b}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(result("GreaterOrEqual", {a, f32({1}, {-2})}), ElementsAre(1, 1));
  EXPECT_THAT(result("Equal", {a, f32({1}, {-2})}), ElementsAre(0, 1));
  EXPECT_THAT(result("And", {bools({2}, {1, 1}), bools({2}, {0, 1})}), ElementsAre(0, 1));
  EXPECT_THAT(result("Or", {bools({2}, {0, 0}), bools({2}, {0, 1})}), ElementsAre(0, 1));
  EXPECT_THAT(result("Where", {bools({2}, {1, 0}), a, b}), ElementsAre(6, 2, -2, 2));
}

TEST(ReferencePrimitives, IntegersDoNotPassThroughFloats) {
  const int64_t large = (int64_t{1} << 62) + 1;
  const auto exact = [&](const std::string& op, const Tensor& a, const Tensor& b) {
    const Tensor y = run(op, {a, b})[0];
    return std::vector<int64_t>(y.data<int64_t>(), y.data<int64_t>() + y.shape().elements());
  };
  Tensor big(DType::kI64, {1});
  big.data<int64_t>()[0] = large;
  EXPECT_THAT(exact("Add", big, i64({1}, {2})), ElementsAre(large + 2));
  EXPECT_THAT(exact("Div", i64({3}, {7, -7, 7}), i64({3}, {2, 2, 0})), ElementsAre(3, -3, 0));
  EXPECT_THAT(exact("Pow", i64({3}, {3, -2, 2}), i64({3}, {4, 3, -1})), ElementsAre(81, -8, 0));
  EXPECT_THAT(exact("Max", big, i64({1}, {0})), ElementsAre(large));
}

TEST(ReferencePrimitives, CastRoundsAndTruncates) {
  const Tensor x = f32({4}, {1.7, -1.7, 3e10, NAN});
  EXPECT_THAT(result("Cast", {x}, {{"to", std::string("i32")}}), ElementsAre(1, -1, 2147483647, 0));
  EXPECT_THAT(result("Cast", {f32({2}, {0, -3})}, {{"to", std::string("bool")}}),
              ElementsAre(0, 1));
  EXPECT_THAT(result("Cast", {f32({1}, {1.0009765625 + 0.0004})}, {{"to", std::string("f16")}}),
              ElementsAre(1.0009765625));
}

TEST(ReferencePrimitives, MatMulBroadcastsItsBatch) {
  const Tensor a = f32({2, 1, 2}, {1, 2, 3, 4});
  const Tensor b = f32({2, 2}, {1, 10, 100, 1000});
  EXPECT_THAT(result("MatMul", {a, b}), ElementsAre(201, 2010, 403, 4030));
  EXPECT_THAT(result("MatMul", {f32({2}, {1, 2}), b}), ElementsAre(201, 2010));
  EXPECT_THAT(result("MatMul", {b, f32({2}, {1, 2})}), ElementsAre(21, 2100));
  EXPECT_THAT(result("MatMul", {i64({1, 2}, {3, 4}), i64({2, 1}, {5, 6})}), ElementsAre(39));
}

TEST(ReferencePrimitives, ReductionsAlongAxes) {
  const Tensor x = f32({2, 3}, {1, 2, 6, -1, 0, 4});
  EXPECT_THAT(result("ReduceSum", {x}, {{"axes", Ints{1}}}), ElementsAre(9, 3));
  EXPECT_THAT(result("ReduceMean", {x}, {{"axes", Ints{-2}}}), ElementsAre(0, 1, 5));
  EXPECT_THAT(result("ReduceMax", {x}), ElementsAre(6));
  EXPECT_THAT(result("ReduceMin", {x}, {{"axes", Ints{0, 1}}}), ElementsAre(-1));
  EXPECT_THAT(result("CumSum", {x}, {{"axis", int64_t{1}}}), ElementsAre(1, 3, 9, -1, -1, 3));
  EXPECT_THAT(result("CumSum", {x},
                     {{"axis", int64_t{1}}, {"exclusive", int64_t{1}}, {"reverse", int64_t{1}}}),
              ElementsAre(8, 6, 0, 4, 4, 0));
  const std::vector<double> softmax =
      result("Softmax", {f32({2, 1}, {0, std::log(3.0)})}, {{"axis", int64_t{0}}});
  EXPECT_NEAR(softmax[0], 0.25, 1e-7);
  EXPECT_NEAR(softmax[1], 0.75, 1e-7);
  EXPECT_NEAR(result("LogSoftmax", {f32({2}, {1000, 1000})})[1], -std::log(2.0), 1e-6);
}

TEST(ReferencePrimitives, ShapesMove) {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(result("Transpose", {x}, {{"perm", Ints{1, 0}}}), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(result("Reshape", {x, i64({2}, {3, -1})}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(result("Expand", {f32({2, 1}, {1, 2}), i64({2}, {1, 2})}), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(result("Tile", {f32({1, 2}, {1, 2}), i64({2}, {2, 2})}),
              ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_THAT(result("Concat", {x, f32({2, 1}, {7, 8})}, {{"axis", int64_t{1}}}),
              ElementsAre(1, 2, 3, 7, 4, 5, 6, 8));
  const auto parts = run("Split", {x}, {{"axis", int64_t{1}}, {"split", Ints{1, 2}}}, 2);
  EXPECT_THAT(elements_of(parts[0]), ElementsAre(1, 4));
  EXPECT_THAT(elements_of(parts[1]), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(result("Slice", {x, i64({1}, {-1}), i64({1}, {-9}), i64({1}, {1}), i64({1}, {-2})}),
              ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(result("Slice", {x}, {{"starts", Ints{1}}, {"ends", Ints{99}}, {"axes", Ints{0}}}),
              ElementsAre(4, 5, 6));
  EXPECT_THAT(result("Gather", {x, i64({2}, {-1, 0})}, {{"axis", int64_t{1}}}),
              ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(result("GatherElements", {x, i64({2, 1}, {2, 0})}, {{"axis", int64_t{1}}}),
              ElementsAre(3, 4));
}

TEST(ReferencePrimitives, ShapesAreMade) {
  EXPECT_THAT(result("Shape", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}), ElementsAre(2, 3));
  EXPECT_THAT(result("ConstantOfShape", {i64({1}, {3})}, {{"value", 2.5}}),
              ElementsAre(2.5, 2.5, 2.5));
  EXPECT_THAT(result("Range", {i64({}, {5}), i64({}, {0}), i64({}, {-2})}), ElementsAre(5, 3, 1));
  EXPECT_THAT(result("Range", {f32({}, {0}), f32({}, {1}), f32({}, {0.25})}),
              ElementsAre(0, 0.25, 0.5, 0.75));
  const Tensor ones = f32({2, 3}, std::vector<double>(6, 1));
  EXPECT_THAT(result("Trilu", {ones}), ElementsAre(1, 1, 1, 0, 1, 1));
  EXPECT_THAT(result("Trilu", {ones}, {{"upper", int64_t{0}}, {"k", int64_t{-1}}}),
              ElementsAre(0, 0, 0, 1, 0, 0));
  EXPECT_THAT(result("Clip", {f32({3}, {-5, 0, 5}), f32({}, {-1}), f32({}, {2})}),
              ElementsAre(-1, 0, 2));
}

TEST(ReferencePrimitives, StridedRowsAreReadInPlace) {
  // Columns 1 and 2 of a [2, 4] matrix, as the builder cuts them out of a packed projection.
  std::vector<float> wide = {9, 1, 2, 9, 9, 3, 4, 9};
  std::vector<float> out(4);
  Operand x{wide.data() + 1, DType::kF32, WeightLayout::kPlain, {2, 2}, 4};
  Operand y{out.data(), DType::kF32, WeightLayout::kPlain, {2, 2}, 2};
  EXPECT_EQ(x.rows(), 2);
  Problem problem{"Neg",
                  {},
                  {{true, false, DType::kF32, SymShape(x.shape)}},
                  {{true, false, DType::kF32, SymShape(y.shape)}}};
  const auto kernel = (*reference_tactics().choose(problem, {}))->bind(problem, {});
  Team team(2);
  team.run([&](TeamMember& member) {
    (*kernel)->launch({{&x, 1}, {&y, 1}, nullptr, nullptr, nullptr}, member);
  });
  EXPECT_THAT(out, ElementsAre(-1, -2, -3, -4));
}

}  // namespace
}  // namespace legato::kernels
