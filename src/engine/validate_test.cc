#include "engine/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/engine_fixture.h"
#include "tests/support/processor_time.h"

namespace legato::engine {
namespace {

using testing::HasSubstr;

struct Fault {
  const char* message;  ///< part of what is said
  std::function<void(EngineSpec&)> plant;
};

std::vector<Fault> model_faults() {
  return {
      {"eos_ids[1] is 5", [](auto& s) { s.model.eos_ids[1] = 5; }},
      {"eos_ids[1] is 1", [](auto& s) { s.model.eos_ids[1] = 1; }},
      {"bos_id is -1", [](auto& s) { s.model.bos_id = -1; }},
      {"vocab_size is -1", [](auto& s) { s.model.vocab_size = -1; }},
      {"max_context is", [](auto& s) { s.model.max_context = int64_t{1} << 40; }},
      {"temperature is nan", [](auto& s) { s.model.generation.temperature = NAN; }},
      {"top_p is 1.5", [](auto& s) { s.model.generation.top_p = 1.5; }},
      {"top_k is -1", [](auto& s) { s.model.generation.top_k = -1; }},
      {"cache has 5000 layers",
       [](auto& s) {
         s.kv.layers.resize(5000, {1, 1, 0, 0});
       }},
      {"cache layer 0 has 0 heads", [](auto& s) { s.kv.layers[0].kv_heads = 0; }},
      {"heads of 70000", [](auto& s) { s.kv.layers[0].head_dim = 70000; }},
      {"window -1", [](auto& s) { s.kv.layers[0].window = -1; }},
      {"cache has dtype i8", [](auto& s) { s.kv.default_dtype = DType::kI8; }},
      {"profile of tokens is 1 to 8 to 4", [](auto& s) { s.profile[0].max = 4; }},
      {"profile names \"2*tokens\"", [](auto& s) { s.profile[0].symbol = "2*tokens"; }},
      {"a slot has 96*tokens bytes", [](auto& s) { s.profile[0].symbol = "other"; }},
  };
}

std::vector<Fault> weight_faults() {
  return {
      {"weight embedding has 161 bytes", [](auto& s) { s.weights[0].bytes = 161; }},
      {"weight embedding has 160 bytes, expected those of f32 [1073741824",
       [](auto& s) {
         s.weights[0].shape = {1 << 30, 1 << 30, 1 << 30};
       }},
      {"weight embedding",
       [](auto& s) {
         s.weights[0].shape = {-5, -8};
       }},
      {"weight qkv has 1024 bytes at 128, expected it at 192",
       [](auto& s) { s.weights[1].offset = 128; }},
      {"weight qkv has 1024 bytes", [](auto& s) { s.weights[1].shape = {768}; }},
      {"weight scale has 12 bytes at 1216", [](auto& s) { s.weights_bytes = 1220; }},
      {"weights end at 1280, expected 1344", [](auto& s) { s.weights_bytes = 1344; }},
  };
}

std::vector<Fault> value_faults() {
  const Dim tokens = Dim::symbol("tokens");
  return {
      {"a slot lists 0 sizes", [=](auto& s) { s.slots[0].bytes.clear(); }},
      {"a slot has -8 bytes", [=](auto& s) { s.slots[0].bytes = {Dim(-8)}; }},
      {"value hidden takes 32*tokens bytes",
       [=](auto& s) {
         s.slots[1].bytes = {tokens * Dim(28), Dim(512)};
       }},
      {"value hidden lies in slot 2 of 2", [=](auto& s) { s.values[3].index = 2; }},
      {"value hidden has storage index -1", [=](auto& s) { s.values[3].index = -1; }},
      {"value hidden has extent -tokens + 20",
       [=](auto& s) { s.values[3].shape.dims[0] = Dim(20) - tokens; }},
      {"value hidden has shape",
       [=](auto& s) { s.values[3].shape.dims[1] = Dim(int64_t{1} << 41); }},
      {"value hidden: dimension", [=](auto& s) { s.values[3].shape.dims[1] = Dim(-1); }},
      {"value qkv is weight 3 of 3", [=](auto& s) { s.values[2].index = 3; }},
      {"value qkv is f16", [=](auto& s) { s.values[2].dtype = DType::kF16; }},
      {"value qkv is f32 [8, 24]",
       [=](auto& s) {
         s.values[2].shape = {8, 24};
       }},
      {"input 0 is value 8 of 8", [=](auto& s) { s.inputs[0] = 8; }},
      {"input 0 is value hidden", [=](auto& s) { s.inputs[0] = 3; }},
      {"output 0 is value -1", [=](auto& s) { s.outputs[0] = -1; }},
      {"value packed is f32 [tokens, 24], expected the size of its output",
       [=](auto& s) { s.values[4].storage = Storage::kOutput; }},
  };
}

std::vector<Fault> step_faults() {
  return {
      {"step Linear.0 has op \"\"", [](auto& s) { s.steps[1].op.clear(); }},
      {"reads value 8 of 8", [](auto& s) { s.steps[1].inputs[0].value = 8; }},
      {"reads value -2 of 8", [](auto& s) { s.steps[1].inputs[0].value = -2; }},
      {"step Embedding.0 reads value packed, whose place holds nothing",
       [](auto& s) { s.steps[0].inputs[0].value = 4; }},
      {"step Linear.0 reads value hidden, whose place holds mixed",
       [](auto& s) { s.steps[3].inputs[0].value = 3; }},
      {"step Linear.0 reads value halves, whose place holds mixed",
       [](auto& s) { s.values[6].dtype = DType::kI32; }},
      {"reads 8 columns from 17", [](auto& s) { s.steps[2].inputs[0].first_column = 17; }},
      {"reads 8 columns from -1", [](auto& s) { s.steps[2].inputs[0].first_column = -1; }},
      {"reads 0 columns", [](auto& s) { s.steps[2].inputs[0].columns = 0; }},
      {"columns from 9223372036854775807",
       [](auto& s) { s.steps[2].inputs[0].first_column = INT64_MAX; }},
      {"reads 4 columns", [](auto& s) { s.steps[1].inputs[1].columns = 4; }},
      {"writes value 9 of 8", [](auto& s) { s.steps[1].outputs[0].value = 9; }},
      {"writes value -1 of 8", [](auto& s) { s.steps[1].outputs[0].value = -1; }},
      {"writes qkv, expected no input", [](auto& s) { s.steps[1].outputs[0].value = 2; }},
      {"writes hidden where it reads", [](auto& s) { s.steps[1].outputs[0].value = 3; }},
      {"where it reads or writes", [](auto& s) { s.steps[1].outputs.push_back({4}); }},
      {"0 outputs", [](auto& s) { s.steps[1].outputs.clear(); }},
      {"output logits is written by no step", [](auto& s) { s.steps.pop_back(); }},
      {"uses cache layer 1 of 1", [](auto& s) { s.steps[2].attributes.set("layer", int64_t{1}); }},
      {"uses cache layer -1", [](auto& s) { s.steps[2].attributes.erase("layer"); }},
      {"has 3 kv heads of 4", [](auto& s) { s.steps[2].attributes.set("kv_heads", int64_t{3}); }},
      {"window 7", [](auto& s) { s.steps[2].attributes.set("window", int64_t{7}); }},
  };
}

TEST(ValidateSpec, AcceptsTheSmallEngine) {
  const Status status = validate_spec(small_spec(), "x");
  EXPECT_TRUE(status.ok()) << status.to_string();
}

class NamesEachFault : public testing::TestWithParam<std::vector<Fault> (*)()> {};

TEST_P(NamesEachFault, OnBothSides) {
  for (const Fault& fault : GetParam()()) {
    EngineSpec spec = small_spec();
    fault.plant(spec);
    const Status status = validate_spec(spec, "x");
    EXPECT_EQ(status.code, Code::kMalformed) << fault.message;
    EXPECT_THAT(status.message, HasSubstr(fault.message));
    EXPECT_EQ(status.where, "x");
  }
}

INSTANTIATE_TEST_SUITE_P(ValidateSpec, NamesEachFault,
                         testing::Values(model_faults, weight_faults, value_faults, step_faults));

TEST(ValidateSpec, SlotMayHoldSmallerValuesThanItLists) {
  EngineSpec spec = small_spec();
  spec.slots[1].bytes = {Dim::symbol("tokens") * Dim(40) + Dim(8)};
  EXPECT_TRUE(validate_spec(spec, "x").ok());
}

TEST(ValidateSpec, LargestSpecTakesLessThanASecond) {
  EngineSpec spec = small_spec();
  const Dim a = Dim::symbol("a"), b = Dim::symbol("b");
  const Dim wide = (a + b + Dim(1)) * (a + b + Dim(2));
  spec.profile = {{"a", 1, 2, 9}, {"b", 1, 2, 9}, {"tokens", 1, 8, 16}};
  spec.slots[0].bytes.assign(kMaxSlotSizes, a * Dim(3));
  spec.slots[0].bytes.back() = wide * Dim(4);
  spec.values.resize(kMaxValues, {"v", DType::kF32, {wide}, Storage::kSlot, 0});
  const StepSpec reader = step("Linear", std::vector<OperandRef>(8, {6}), {7});
  spec.steps.resize(kMaxSteps, reader);
  const testing_support::ProcessorTime time;
  EXPECT_FALSE(validate_spec(spec, "x").ok());
  EXPECT_LT(time.seconds(), 1);
}

}  // namespace
}  // namespace legato::engine
