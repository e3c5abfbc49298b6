#include "import/hf/rope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/import_fixture.h"

namespace legato::importer {
namespace {

using ::testing::HasSubstr;

RopeSettings read(const std::string& text, RopeQuery query = {16, 4096}) {
  return read_rope(Config::parse(text, "config.json"), query);
}

void expect_frequencies(const RopeSettings& rope, const std::vector<double>& expected) {
  ASSERT_EQ(rope.inv_freq.size(), expected.size());
  // Two units in the last place of f32: transformers raises to powers in f32.
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(rope.inv_freq[i], expected[i], 2.5e-7 * expected[i]) << i;
}

// Expected values: transformers 5.24, ROPE_INIT_FUNCTIONS.

const std::vector<double> kPlain = {1,    0.316227764,   0.100000001,   0.0316227786,
                                    0.01, 0.00316227786, 0.00100000005, 0.000316227786};

TEST(Rope, PlainInBothStyles) {
  for (const char* text : {"{}", R"({"rope_theta": 10000.0, "rope_scaling": null})",
                           R"({"rope_parameters": {"rope_theta": 10000, "rope_type": "default"}})",
                           R"({"rope_theta": 10000, "rope_scaling": {"type": "default"}})"}) {
    const RopeSettings rope = read(text);
    expect_frequencies(rope, kPlain);
    EXPECT_EQ(rope.rotary_dim, 16);
    EXPECT_EQ(rope.scale, 1.0);
    EXPECT_EQ(rope.max_context, 4096);
  }
}

TEST(Rope, LinearDividesEveryFrequency) {
  for (const char* text : {R"({"rope_scaling": {"type": "linear", "factor": 4.0}})",
                           R"({"rope_scaling": {"rope_type": "linear", "factor": 4}})",
                           R"({"rope_parameters": {"rope_type": "linear", "factor": 4.0}})"})
    expect_frequencies(read(text), {0.25, 0.079056941, 0.0250000004, 0.00790569466, 0.0025,
                                    0.000790569466, 0.000250000012, 7.90569466e-05});
}

TEST(Rope, Llama3KeepsBlendsAndDivides) {
  expect_frequencies(
      read(R"({"rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
               "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 1024}})"),
      {1, 0.193922758, 0.0376060307, 0.00131256948, 0.000176776681, 3.42810235e-05, 6.64786967e-06,
       1.28917316e-06});
}

TEST(Rope, YarnScalesAndReachesFactorTimesTheOriginalLength) {
  const RopeSettings rope = read(R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0,
               "original_max_position_embeddings": 1024}})");
  expect_frequencies(rope, {1, 0.316227764, 0.0812500045, 0.0197642371, 0.00437500002,
                            0.000790569466, 0.000250000012, 7.90569466e-05});
  EXPECT_NEAR(rope.scale, 1.138629436111989, 1e-7);
  EXPECT_EQ(rope.max_context, 4096);
  EXPECT_EQ(read(R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0,
                     "original_max_position_embeddings": 4096}})")
                .max_context,
            16384);
}

TEST(Rope, YarnTakesEveryOption) {
  const RopeSettings mscale = read(
      R"({"rope_scaling": {"rope_type": "yarn", "factor": 40, "mscale": 0.707, "mscale_all_dim": 1.0,
          "beta_fast": 16, "beta_slow": 2, "truncate": false,
          "original_max_position_embeddings": 100}})");
  expect_frequencies(mscale, {1, 0.145087972, 0.0025, 0.000790569466, 0.000250000012,
                              7.90569466e-05, 2.49999994e-05, 7.90569447e-06});
  EXPECT_NEAR(mscale.scale, 0.9210423553163399, 1e-7);
  const RopeSettings given =
      read(R"({"rope_parameters": {"rope_type": "yarn", "factor": null, "attention_factor": 1.5,
               "original_max_position_embeddings": 1024}})");
  expect_frequencies(given, {1, 0.316227764, 0.0812500045, 0.0197642371, 0.00437500002,
                             0.000790569466, 0.000250000012, 7.90569466e-05});
  EXPECT_EQ(given.scale, 1.5);
}

TEST(Rope, DynamicIsPlainUpToTheOriginalLength) {
  const RopeSettings rope = read(R"({"rope_scaling": {"type": "dynamic", "factor": 4.0,
                                     "original_max_position_embeddings": 2048}})");
  expect_frequencies(rope, kPlain);
  EXPECT_EQ(rope.max_context, 2048);
  EXPECT_THAT(rope.context_limit, HasSubstr("\"dynamic\" equals plain rope only up to 2048"));
}

TEST(Rope, PartialRotationTakesTheFirstDimensions) {
  RopeQuery query{16, 4096};
  query.allow_partial = true;
  query.partial_rotary_factor = 0.25;
  EXPECT_EQ(read("{}", query).rotary_dim, 4);
  const RopeSettings rope = read(R"({"rope_parameters": {"rope_type": "linear", "factor": 2.0,
               "partial_rotary_factor": 0.5}})",
                                 query);
  EXPECT_EQ(rope.rotary_dim, 8);
  expect_frequencies(rope, {0.5, 0.05, 0.005, 0.0005});
}

TEST(Rope, WhatIsNotSupportedIsRefusedByName) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"rope_scaling": {"type": "longrope", "factor": 4}})", "\"longrope\" is not supported"},
      {R"({"rope_scaling": {"type": "mrope"}})", "known: default, dynamic, linear, llama3, yarn"},
      {R"({"rope_scaling": {"type": "linear"}})", "\"factor\": is required and absent"},
      {R"({"rope_scaling": {"type": "linear", "factor": 0}})",
       "\"factor\": expected a number above"},
      {R"({"rope_scaling": {"type": "linear", "factor": "4"}})", "\"factor\": expected a number"},
      {R"({"rope_scaling": [1]})", "\"rope_scaling\": expected an object"},
      {R"({"rope_scaling": {"type": 4}})", "\"type\": expected a string"},
      {R"({"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
           "high_freq_factor": 4}})",
       "\"high_freq_factor\": expected more than"},
      {R"({"rope_theta": 0})", "\"rope_theta\": expected above 0"},
      {R"({"rope_theta": -5})", "\"rope_theta\": expected above 0"},
      {R"({"partial_rotary_factor": 0.5})", "\"partial_rotary_factor\": only 1 is supported"},
      {R"({"rope_parameters": {"full_attention": {"rope_type": "default"}}})",
       "rope settings by layer type"},
      {R"({"rope_theta": 1, "rope_scaling": {"type": "yarn", "factor": 4}})",
       "expected more than 1"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_THAT(error_of([&, input = text] { read(input); }), HasSubstr(message)) << text;
  EXPECT_THAT(error_of([&] { read("{}", {15, 4096}); }), HasSubstr("even number of dimensions"));
}

}  // namespace
}  // namespace legato::importer
