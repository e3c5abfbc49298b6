#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/op.h"

namespace legato::ir {
namespace {
using testing::HasSubstr;

/// The first line that a text of the graph form is refused with, or the type of its last value.
std::string outcome(const std::string& statements) {
  std::string result;
  const Status status = catch_error([&] {
    const Graph graph = parse("graph {\n" + statements + "}\n");
    verify(graph);
    result = "accepted";
  });
  return status.ok() ? result : status.to_string();
}

constexpr char kOperands[] = R"(
  input %ids: i32[t]
  input %x: f32[t, 8]
  input %q: f32[t, 16]
  input %kv: f32[t, 8]
  input %half: f16[t, 8]
  constant %w: bf16[6, 8]
  constant %packed: f16[64, 8]
  constant %b6: f32[6] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
  constant %b8: f32[8] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
  constant %b4: f32[4] = [0.0, 0.0, 0.0, 0.0]
)";

std::string outcome_of(const std::string& node, const std::string& type = "f32[t, 6]") {
  return outcome(kOperands + std::string("%y: ") + type + " = " + node + "\noutput \"y\" = %y\n");
}

TEST(FusedOps, LinearChecksEachOperand) {
  EXPECT_EQ(outcome_of("Linear(%x, %w, %b6, none, %b8, %b8) {norm=\"layer\"}"), "accepted");
  EXPECT_THAT(outcome_of("Linear(%q, %w)"),
              HasSubstr("input 1 (weight) is bf16[6, 8], expected [6, 16]"));
  EXPECT_THAT(outcome_of("Linear(%x, %w, %b8)"), HasSubstr("input 2 (bias) is f32[8]"));
  EXPECT_THAT(outcome_of("Linear(%x, %w, none, %x)"), HasSubstr("input 3 (residual)"));
  EXPECT_THAT(outcome_of("Linear(%x, %w, none, none, %b8)"), HasSubstr("\"norm\" is \"none\""));
  EXPECT_THAT(outcome_of("Linear(%x, %w, none, none, %b8, %b8) {norm=\"rms\"}"),
              HasSubstr("norm_bias"));
  EXPECT_THAT(outcome_of("Linear(%x, %w) {activation=\"swish\"}"), HasSubstr("\"swish\""));
  EXPECT_THAT(outcome_of("Linear(%half, %w)"), HasSubstr("input 0 (x) is f16[t, 8], expected f32"));
}

TEST(FusedOps, GatedMlpIsPackedOrNot) {
  EXPECT_EQ(outcome_of("GatedMlp(%x, %w, %w) {features=6}"), "accepted");
  EXPECT_EQ(outcome_of("GatedMlp(%x, %packed, none, %b6) {features=6, packed=1}"), "accepted");
  EXPECT_THAT(outcome_of("GatedMlp(%x, %w) {features=6}"), HasSubstr("up_weight"));
  EXPECT_THAT(outcome_of("GatedMlp(%x, %w, none) {features=6, packed=1}"),
              HasSubstr("expected [64, 8]"));
  EXPECT_THAT(outcome_of("GatedMlp(%x, %packed, %w) {features=6, packed=1}"), HasSubstr("packed"));
}

TEST(FusedOps, NormsCheckGroupsAndWeights) {
  EXPECT_EQ(outcome_of("RmsNorm(%x, %b4) {epsilon=1e-5, group_size=4}", "f32[t, 8]"), "accepted");
  EXPECT_THAT(outcome_of("RmsNorm(%x) {epsilon=1e-5, group_size=3}", "f32[t, 8]"),
              HasSubstr("group_size 3 divides"));
  EXPECT_THAT(outcome_of("RmsNorm(%x, %b6) {epsilon=1e-5}", "f32[t, 8]"),
              HasSubstr("expected [8]"));
  EXPECT_THAT(outcome_of("RmsNorm(%x) {epsilon=-1.0}", "f32[t, 8]"), HasSubstr("epsilon"));
  EXPECT_EQ(outcome_of("LayerNorm(%x, none, %b8) {epsilon=1e-5}", "f32[t, 8]"), "accepted");
}

TEST(FusedOps, EmbeddingNeedsBothPositionOperands) {
  EXPECT_EQ(outcome_of("Embedding(%ids, %w, %ids, %packed) {position_offset=2}", "f32[t, 8]"),
            "accepted");
  EXPECT_THAT(outcome_of("Embedding(%ids, %w, %ids)", "f32[t, 8]"), HasSubstr("come together"));
  EXPECT_THAT(outcome_of("Embedding(%x, %w)", "f32[t, 8]"), HasSubstr("expected i32 or i64"));
}

TEST(FusedOps, RotaryAndRopeAgreeOnTheTable) {
  EXPECT_EQ(outcome_of("RotaryTable(%ids) {inv_freq=[1.0, 0.5]}", "f32[t, 4]"), "accepted");
  EXPECT_THAT(outcome_of("RotaryTable(%ids) {inv_freq=[]}", "f32[t, 0]"), HasSubstr("inv_freq"));
  EXPECT_THAT(outcome_of("Rope(%q, %x) {head_dim=8, rotary_dim=4}", "f32[t, 16]"),
              HasSubstr("expected [t, 4]"));
  EXPECT_EQ(outcome_of("Rope(%q, %x) {head_dim=8, rotary_dim=8, interleaved=1}", "f32[t, 16]"),
            "accepted");
}

TEST(FusedOps, AttentionChecksHeads) {
  const std::string common = "head_dim=4, scale=0.5, layer=0}";
  EXPECT_EQ(outcome_of("Attention(%q, %kv, %kv) {heads=4, kv_heads=2, " + common, "f32[t, 16]"),
            "accepted");
  EXPECT_THAT(outcome_of("Attention(%q, %kv, %kv) {heads=4, kv_heads=3, " + common, "f32[t, 16]"),
              HasSubstr("multiple of its 3 kv_heads"));
  EXPECT_THAT(outcome_of("Attention(%q, %q, %kv) {heads=4, kv_heads=2, " + common, "f32[t, 16]"),
              HasSubstr("input 1 (k) is f32[t, 16], expected [t, 8]"));
  EXPECT_THAT(outcome_of("Attention(%q, %kv, %kv) {rotary_dim=4, heads=4, kv_heads=2, " + common,
                         "f32[t, 16]"),
              HasSubstr("rope_table"));
}

TEST(FusedOps, EverySchemaIsDocumented) {
  for (const OpSchema* schema : ops().all()) {
    EXPECT_FALSE(schema->doc.empty()) << schema->name;
    EXPECT_GE(schema->max_inputs, schema->min_inputs) << schema->name;
    EXPECT_TRUE(schema->input_names.size() == schema->max_inputs || schema->input_names.size() == 1)
        << schema->name;
    for (const AttributeSpec& spec : schema->attributes)
      EXPECT_FALSE(spec.doc.empty()) << schema->name << " " << spec.name;
  }
}

/// Like outcome(), with zeros for constants of any dtype.
std::string outcome_of_zeros(const std::string& statements) {
  const auto zeros = [](const std::string&, DType dtype, const Shape& shape) {
    return constant_from_tensor(Tensor(dtype, shape));
  };
  const Status status =
      catch_error([&] { verify(parse("graph {\n" + statements + "}\n", zeros)); });
  return status.ok() ? "accepted" : status.to_string();
}

TEST(FusedOps, OnlyMatricesOfWeightsAreQuantised) {
  const auto outcome_with = [](const std::string& node, const std::string& type) {
    return outcome_of_zeros(R"(
  input %ids: i32[t]
  input %x: f32[t, 64]
  constant %w: w4[64, 64]
  constant %k: q6_k[2, 256]
  %y: )" + type + " = " + node +
                            "\noutput \"y\" = %y\n");
  };
  EXPECT_EQ(outcome_with("Linear(%x, %w)", "f32[t, 64]"), "accepted");
  EXPECT_EQ(outcome_with("GatedMlp(%x, %w, %w) {features=64}", "f32[t, 64]"), "accepted");
  EXPECT_EQ(outcome_with("Embedding(%ids, %w, %ids, %w)", "f32[t, 64]"), "accepted");
  EXPECT_EQ(outcome_with("Embedding(%ids, %k)", "f32[t, 256]"), "accepted");
  EXPECT_THAT(outcome_with("Linear(%x, %k)", "f32[t, 2]"),
              HasSubstr("input 1 (weight) is q6_k[2, 256], expected [2, 64]"));
  EXPECT_THAT(outcome_with("Linear(%x, %w, %w)", "f32[t, 64]"),
              HasSubstr("input 2 (bias) is w4[64, 64], expected numbers that are not quantised"));
  for (const char* node : {"Identity(%w)", "Transpose(%w) {perm=[1, 0]}", "Cast(%w) {to=\"f32\"}"})
    EXPECT_THAT(outcome_with(node, "w4[64, 64]"),
                HasSubstr("is w4[64, 64], expected numbers that are not quantised"))
        << node;
}

TEST(FusedOps, NoOpMakesQuantisedNumbers) {
  EXPECT_THAT(outcome("input %x: f32[32, 32]\n%y: w8[32, 32] = Cast(%x) {to=\"w8\"}\n"
                      "output \"y\" = %y\n"),
              HasSubstr("makes w8[32, 32], expected numbers that are not quantised"));
  EXPECT_THAT(outcome("input %x: i64[2]\n%y: q4_0[a, b] = ConstantOfShape(%x) {dtype=\"q4_0\"}\n"
                      "output \"y\" = %y\n"),
              HasSubstr("quantised"));
}

TEST(FusedOps, QuantisedConstantsAreWholeBlocks) {
  const auto output = [](const std::string& type) {
    return "constant %w: " + type + "\noutput \"y\" = %w\n";
  };
  for (const char* type : {"w8[2, 33]", "q4_k[2, 128]", "q8_0[32]", "q8_0[1, 2, 32]"})
    EXPECT_THAT(outcome_of_zeros(output(type)), HasSubstr("expected a matrix of whole blocks"))
        << type;
  EXPECT_THAT(outcome("input %x: w8[t, 32]\noutput \"y\" = %x\n"),
              HasSubstr("is w8[t, 32], expected an input that is not quantised"));
  EXPECT_THAT(outcome(output("w8[1, 32]")), HasSubstr("of w8 has no elements in the text"));
  EXPECT_THAT(outcome("constant %w: w8[1, 32] = [0]\noutput \"y\" = %w\n"),
              HasSubstr("a constant of w8 has no elements in the text"));
}

}  // namespace
}  // namespace legato::ir
