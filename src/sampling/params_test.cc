#include "sampling/params.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace legato::sampling {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SamplingParams, DefaultsAndBordersAreAccepted) {
  EXPECT_TRUE(SamplingParams().validate(1).ok());
  SamplingParams params;
  params.temperature = 100;
  params.top_k = -1;
  params.top_p = 1e-9;
  params.min_p = 1;
  params.repetition_penalty = 1e-3;
  params.presence_penalty = -2;
  params.frequency_penalty = 2;
  params.logit_bias = {{9, 100.0}, {0, -100.0}};
  params.stop_ids = {9};
  params.num_logprobs = 1024;
  EXPECT_TRUE(params.validate(10).ok()) << params.validate(10).to_string();
}

struct Bad {
  std::function<void(SamplingParams&)> change;
  const char* message;
};

TEST(SamplingParams, ValuesOutOfRangeNameFieldRangeAndValue) {
  const Bad table[] = {
      {[](auto& p) { p.temperature = 999999; }, "temperature: 999999, expected 0 to 100"},
      {[](auto& p) { p.temperature = -0.1; }, "temperature: -0.1, expected 0 to 100"},
      {[](auto& p) { p.temperature = kNan; }, "temperature: nan, expected 0 to 100"},
      {[](auto& p) { p.temperature = kInfinity; }, "temperature: inf, expected 0 to 100"},
      {[](auto& p) { p.top_k = -2; }, "top_k: -2, expected -1 to 2147483647"},
      {[](auto& p) { p.top_p = -1; }, "top_p: -1, expected more than 0 and at most 1"},
      {[](auto& p) { p.top_p = 0; }, "top_p: 0, expected more than 0 and at most 1"},
      {[](auto& p) { p.top_p = kNan; }, "top_p: nan, expected more than 0 and at most 1"},
      {[](auto& p) { p.min_p = 1.5; }, "min_p: 1.5, expected 0 to 1"},
      {[](auto& p) { p.repetition_penalty = 0; },
       "repetition_penalty: 0, expected more than 0 and at most 100"},
      {[](auto& p) { p.repetition_penalty = kNan; },
       "repetition_penalty: nan, expected more than 0 and at most 100"},
      {[](auto& p) { p.presence_penalty = 3; }, "presence_penalty: 3, expected -2 to 2"},
      {[](auto& p) { p.frequency_penalty = -kInfinity; },
       "frequency_penalty: -inf, expected -2 to 2"},
      {[](auto& p) {
         p.logit_bias = {{10, 1.0}};
       },
       "logit_bias: id 10, expected 0 to 9"},
      {[](auto& p) {
         p.logit_bias = {{-1, 1.0}};
       },
       "logit_bias: id -1, expected 0 to 9"},
      {[](auto& p) {
         p.logit_bias = {{1, 101.0}};
       },
       "logit_bias: 101, expected -100 to 100"},
      {[](auto& p) {
         p.logit_bias.assign(5000, {1, 0.5});
       },
       "logit_bias entries: 5000, expected 0 to 4096"},
      {[](auto& p) { p.min_tokens = -5; }, "min_tokens: -5, expected 0 to 2147483647"},
      {[](auto& p) { p.stop_ids = {10}; }, "stop_ids: id 10, expected 0 to 9"},
      {[](auto& p) { p.stop_ids.assign(4097, 1); }, "stop_ids entries: 4097, expected 0 to 4096"},
      {[](auto& p) { p.num_logprobs = -2; }, "num_logprobs: -2, expected -1 to 1024"},
      {[](auto& p) { p.num_logprobs = 1025; }, "num_logprobs: 1025, expected -1 to 1024"},
  };
  for (const Bad& bad : table) {
    SamplingParams params;
    bad.change(params);
    const Status status = params.validate(10);
    EXPECT_EQ(status.code, Code::kInvalidArgument) << bad.message;
    EXPECT_EQ(status.to_string(), bad.message);
  }
}

}  // namespace
}  // namespace legato::sampling
