#include "ir/rules/fused.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "kernels/activation_names.h"
#include "kernels/tactic.h"
#include "passes/testing.h"
#include "tensor/quant_format.h"

namespace legato::kernels {
namespace {
using passes::elements_of;
using passes::evaluate_text;
using passes::f32;
using passes::i32;
using passes::max_difference;
using passes::random_f32;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

auto near(const std::vector<double>& expected, double tolerance = 1e-6) {
  return Pointwise(testing::DoubleNear(tolerance), expected);
}

TEST(ReferenceFused, EmbeddingScalesRowsAndAddsPositions) {
  const auto y = evaluate_text(R"(graph {
    input %ids: i32[t]
    input %positions: i32[t]
    input %table: f32[3, 2]
    input %wpe: f32[4, 2]
    %y: f32[t, 2] = Embedding(%ids, %table, %positions, %wpe) {scale=2.0, position_offset=1}
    output "y" = %y
  })",
                               {{"ids", i32({2}, {2, 0})},
                                {"positions", i32({2}, {0, 2})},
                                {"table", f32({3, 2}, {1, 2, 3, 4, 5, 6})},
                                {"wpe", f32({4, 2}, {9, 9, 0.5, 0.25, 9, 9, 7, 8})}});
  EXPECT_THAT(elements_of(y[0]), ElementsAre(10.5, 12.25, 9, 12));
}

TEST(ReferenceFused, NormsFollowTheirFormula) {
  const auto y = evaluate_text(R"(graph {
    input %x: f32[1, 4]
    constant %w: f32[4] = [1.0, 2.0, 1.0, 1.0]
    constant %w2: f32[2] = [1.0, 2.0]
    constant %b: f32[4] = [0.0, 0.0, 0.0, 10.0]
    %rms: f32[1, 4] = RmsNorm(%x, %w) {epsilon=0.0}
    %groups: f32[1, 4] = RmsNorm(%x, %w2) {epsilon=0.0, group_size=2}
    %layer: f32[1, 4] = LayerNorm(%x, %w, %b) {epsilon=0.0}
    output "rms" = %rms
    output "groups" = %groups
    output "layer" = %layer
  })",
                               {{"x", f32({1, 4}, {3, 4, 0, 5})}});
  const double rms = std::sqrt(12.5);
  EXPECT_THAT(elements_of(y[0]), near({3 / rms, 8 / rms, 0, 5 / rms}));
  EXPECT_THAT(elements_of(y[1]), near({3 / rms, 8 / rms, 0, 2 * 5 / rms}));
  const double deviation = std::sqrt(3.5);  // mean 3, squares 0 1 9 4
  EXPECT_THAT(elements_of(y[2]), near({0, 2 / deviation, -3 / deviation, 2 / deviation + 10}));
}

TEST(ReferenceFused, HalfPrecisionSumsDoNotOverflow) {
  std::vector<double> large(64, 60000.0);
  const auto y = evaluate_text(R"(graph {
    input %x: f32[1, 64]
    %y: f32[1, 64] = RmsNorm(%x) {epsilon=1e-05}
    output "y" = %y
  })",
                               {{"x", f32({1, 64}, large)}});
  EXPECT_THAT(elements_of(y[0]), near(std::vector<double>(64, 1.0)));
}

TEST(ReferenceFused, LinearActivatesBeforeItAddsTheResidual) {
  const auto y = evaluate_text(R"(graph {
    input %x: f32[2, 2]
    input %r: f32[2, 1]
    input %w: f32[1, 2]
    constant %b: f32[1] = [1.0]
    %relu: f32[2, 1] = Linear(%x, %w, %b, %r) {activation="relu"}
    %silu: f32[2, 1] = Linear(%x, %w, %b, %r) {activation="silu"}
    %gelu: f32[2, 1] = Linear(%x, %w, %b, %r) {activation="gelu"}
    %tanh: f32[2, 1] = Linear(%x, %w, %b, %r) {activation="gelu_tanh"}
    output "relu" = %relu
    output "silu" = %silu
    output "gelu" = %gelu
    output "tanh" = %tanh
  })",
                               {{"x", f32({2, 2}, {1, 2, -3, 0})},
                                {"r", f32({2, 1}, {100, 200})},
                                {"w", f32({1, 2}, {0.5, -0.25})}});
  // Before activation: 1 and -0.5. The numbers are those of the published definitions.
  EXPECT_THAT(elements_of(y[0]), ElementsAre(101, 200));
  EXPECT_THAT(elements_of(y[1]), near({100 + 0.7310585786, 200 - 0.1887703344}, 2e-5));
  EXPECT_THAT(elements_of(y[2]), near({100 + 0.8413447461, 200 - 0.1542687694}, 2e-5));
  EXPECT_THAT(elements_of(y[3]), near({100 + 0.8411919906, 200 - 0.1542859599}, 2e-5));
}

TEST(ReferenceFused, LinearReadsEveryWeightType) {
  // Small integers are exact in every type, so all must agree to the bit.
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    const std::string text = std::string(R"(graph {
      input %x: f32[1, 3]
      input %w: )") + dtype + R"([2, 3]
      %y: f32[1, 2] = Linear(%x, %w)
      output "y" = %y
    })";
    const auto w = passes::tensor_of<double>(*dtype_from_name(dtype), {2, 3}, {1, 2, 3, -4, 5, -6});
    const auto y = evaluate_text(text, {{"x", f32({1, 3}, {1, 10, 100})}, {"w", w}});
    EXPECT_THAT(elements_of(y[0]), ElementsAre(321, -554)) << dtype;
  }
}

TEST(ReferenceFused, PackedGatedMlpEqualsTheTwoMatrices) {
  constexpr int64_t kFeatures = 40;
  const Tensor gate = random_f32({kFeatures, 8}, 1);
  const Tensor up = random_f32({kFeatures, 8}, 2);
  Tensor packed(DType::kF32, {128, 8});
  for (int64_t f = 0; f < kFeatures; ++f) {
    const int64_t row = f / 32 * 64 + f % 32;
    std::memcpy(packed.data<float>() + row * 8, gate.data<float>() + f * 8, 32);
    std::memcpy(packed.data<float>() + (row + 32) * 8, up.data<float>() + f * 8, 32);
  }
  const auto y = evaluate_text(R"(graph {
    input %x: f32[t, 8]
    input %gate: f32[40, 8]
    input %up: f32[40, 8]
    input %packed: f32[128, 8]
    input %b: f32[40]
    %two: f32[t, 40] = GatedMlp(%x, %gate, %up, %b) {features=40}
    %one: f32[t, 40] = GatedMlp(%x, %packed, none, %b) {features=40, packed=1}
    %g: f32[t, 40] = Linear(%x, %gate, %b) {activation="silu"}
    %u: f32[t, 40] = Linear(%x, %up)
    output "two" = %two
    output "one" = %one
    output "g" = %g
    output "u" = %u
  })",
                               {{"x", random_f32({3, 8}, 3)},
                                {"gate", gate},
                                {"up", up},
                                {"packed", packed},
                                {"b", random_f32({kFeatures}, 4)}});
  EXPECT_EQ(max_difference(y[0], y[1]), 0);
  for (int64_t i = 0; i < 3 * kFeatures; ++i)
    EXPECT_NEAR(y[0].data<float>()[i], y[2].data<float>()[i] * y[3].data<float>()[i], 1e-5);
}

TEST(ReferenceFused, RotaryTableRoundsTheAngleToF32) {
  const auto y = evaluate_text(R"(graph {
    input %p: i32[t]
    %y: f32[t, 4] = RotaryTable(%p) {inv_freq=[1.0, 0.10000000149011612], scale=2.0}
    output "y" = %y
  })",
                               {{"p", i32({2}, {0, 100003})}});
  const float slow = 100003.0f * 0.1f;
  EXPECT_THAT(elements_of(y[0]),
              near({2, 2, 0, 0, 2 * std::cos(100003.0), 2 * std::cos(double{slow}),
                    2 * std::sin(100003.0), 2 * std::sin(double{slow})}));
}

TEST(ReferenceFused, RopeTurnsPairsOfEachHead) {
  // cos 0, sin 1: a quarter turn of the first pair; cos 1, sin 0: the second pair stays.
  const std::map<std::string, Tensor> inputs = {
      {"x", f32({1, 10}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})}, {"table", f32({1, 4}, {0, 1, 1, 0})}};
  const auto y = evaluate_text(R"(graph {
    input %x: f32[1, 10]
    input %table: f32[1, 4]
    %halves: f32[1, 10] = Rope(%x, %table) {head_dim=5, rotary_dim=4}
    %pairs: f32[1, 10] = Rope(%x, %table) {head_dim=5, rotary_dim=4, interleaved=1}
    output "halves" = %halves
    output "pairs" = %pairs
  })",
                               inputs);
  EXPECT_THAT(elements_of(y[0]), ElementsAre(-3, 2, 1, 4, 5, -8, 7, 6, 9, 10));
  EXPECT_THAT(elements_of(y[1]), ElementsAre(-2, 1, 3, 4, 5, -7, 6, 8, 9, 10));
}

/// A matrix of random codes whose scales, wherever they lie, are small positive halves.
Tensor quantised_matrix(DType dtype, Shape shape) {
  Tensor tensor(dtype, shape);
  std::mt19937 random(static_cast<unsigned>(dtype));
  for (std::byte& byte : tensor.raw()) byte = static_cast<std::byte>(random() & 0x1fu);
  return tensor;
}

Tensor as_f32(const Tensor& quantised) {
  return ir::cast(ir::constant_from_tensor(quantised), DType::kF32)->load();
}

/// The node's output with the matrices as they are and with the numbers that they stand for.
void expect_equal_to_dequantised(const ir::Node& node, std::vector<Tensor> operands) {
  const auto evaluated = [&] {
    std::vector<const Tensor*> pointers;
    for (const Tensor& operand : operands)
      pointers.push_back(operand.shape().rank() == 0 ? nullptr : &operand);
    return passes::evaluate_node(node, pointers)[0];
  };
  const Tensor quantised = evaluated();
  for (Tensor& operand : operands)
    if (is_quantised(operand.dtype())) operand = as_f32(operand);
  EXPECT_EQ(max_difference(quantised, evaluated()), 0) << node.op;
}

ir::Node node_of(const char* op, Attributes attributes, size_t num_inputs) {
  return {op, "n", std::move(attributes), std::vector<ir::ValueId>(num_inputs, 0), {0}};
}

TEST(ReferenceFused, QuantisedWeightsAreReadAsTheNumbersTheyStandFor) {
  for (const DType dtype : kQuantisedDTypes) {
    SCOPED_TRACE(dtype_name(dtype));
    const Tensor x = random_f32({19, 256}, 1);
    const Tensor weight = quantised_matrix(dtype, {64, 256});
    const Tensor ids = i32({3}, {63, 0, 31});
    expect_equal_to_dequantised(
        node_of("Linear", {{"norm", std::string("rms")}}, 5),
        {x, weight, random_f32({64}, 2), random_f32({19, 64}, 3), random_f32({256}, 4)});
    expect_equal_to_dequantised(node_of("GatedMlp", {{"features", int64_t{64}}}, 3),
                                {x, weight, quantised_matrix(dtype, {64, 256})});
    expect_equal_to_dequantised(
        node_of("GatedMlp", {{"features", int64_t{20}}, {"packed", int64_t{1}}}, 2), {x, weight});
    expect_equal_to_dequantised(node_of("Embedding", {{"scale", 0.5}}, 4),
                                {ids, weight, ids, weight});
  }
}

TEST(ReferenceFused, KernelsKnowEveryActivationAndNormOfTheGraph) {
  std::set<Activation> activations;
  for (const std::string_view name : ir::kActivations) {
    const auto activation = activation_from_name(name);
    ASSERT_TRUE(activation.has_value()) << name;
    activations.insert(*activation);
  }
  EXPECT_EQ(activations.size(), ir::kActivations.size());
  std::set<Norm> norms;
  for (const std::string_view name : ir::kNorms) {
    const auto norm = norm_from_name(name);
    ASSERT_TRUE(norm.has_value()) << name;
    norms.insert(*norm);
  }
  EXPECT_EQ(norms.size(), ir::kNorms.size());
}

TEST(ReferenceFused, OtherOperandsAreNeverQuantised) {
  const auto refusal = [](const char* op, std::vector<OperandSpec> inputs) {
    Problem problem{op, {}, std::move(inputs), {{true, false, DType::kF32, {2, 64}}}};
    const auto chosen = reference_tactics().choose(problem, {});
    return chosen.ok() ? "accepted" : chosen.status().message;
  };
  const OperandSpec x{true, false, DType::kF32, {2, 32}};
  const OperandSpec weight{true, true, DType::kQ8_0, {64, 32}};
  EXPECT_EQ(refusal("Linear", {x, weight}), "accepted");
  EXPECT_THAT(refusal("Linear", {x, weight, weight}), testing::HasSubstr("input 2 is q8_0"));
  EXPECT_THAT(refusal("Linear", {weight, weight}), testing::HasSubstr("input 0 is q8_0"));
  EXPECT_THAT(refusal("Linear", {x, {true, true, DType::kQ4K, {64, 32}}}),
              testing::HasSubstr("input 1 is q4_k [64, 32], expected a matrix of whole blocks"));
  EXPECT_THAT(refusal("Linear", {x, {true, true, DType::kQ8_0, {63, 32}}}),
              testing::HasSubstr("expected a matrix of 32 columns and 64 rows"));
  EXPECT_THAT(refusal("Linear", {x, {true, true, DType::kQ8_0, {64, 64}}}),
              testing::HasSubstr("expected a matrix of 32 columns and 64 rows"));
  EXPECT_THAT(refusal("Linear", {x, {true, true, DType::kI8, {64, 32}}}),
              testing::HasSubstr("input 1 is i8, expected floating-point numbers"));
  for (const char* op : {"Identity", "Add", "Cast", "Relu", "Transpose", "Concat"})
    EXPECT_THAT(refusal(op, {weight, weight}), testing::HasSubstr("input 0 is q8_0")) << op;
}

}  // namespace
}  // namespace legato::kernels
