#include "builder/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

#include "builder/builder_fixture.h"
#include "engine/validate.h"

namespace legato::builder {
namespace {

using engine::EngineSpec;
using engine::Storage;

/// Runs the steps on marks instead of numbers: what a step reads must still be what was written.
void expect_values_survive(const EngineSpec& spec, const std::vector<int32_t>& roots) {
  std::vector<int32_t> holds(spec.slots.size(), -1);
  const auto value = [&spec](int32_t id) { return spec.values[static_cast<size_t>(id)]; };
  for (const engine::StepSpec& step : spec.steps) {
    std::vector<bool> read(spec.slots.size(), false);
    for (const engine::OperandRef& input : step.inputs) {
      if (input.value < 0 || value(input.value).storage != Storage::kSlot) continue;
      const auto slot = static_cast<size_t>(value(input.value).index);
      ASSERT_EQ(holds[slot], roots[static_cast<size_t>(input.value)]) << step.name;
      read[slot] = true;
    }
    for (const engine::OperandRef& output : step.outputs) {
      if (value(output.value).storage != Storage::kSlot) continue;
      const auto slot = static_cast<size_t>(value(output.value).index);
      ASSERT_FALSE(read[slot]) << step.name << " writes where it reads";
      holds[slot] = output.value;
    }
  }
}

/// A chain of steps, each reading any earlier values, with sizes in one or two symbols.
EngineSpec random_spec(uint32_t seed, std::vector<int32_t>& roots) {
  std::mt19937 random(seed);
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<uint32_t>(n));
  };
  const Dim sizes[] = {Dim::symbol("tokens"), Dim::symbol("rows"), Dim(1),
                       Dim::symbol("tokens") * Dim::symbol("rows"), Dim::symbol("tokens") + Dim(3)};
  EngineSpec spec;
  spec.profile = {{"rows", 1, 2, 5}, {"tokens", 1, 8, 32}};
  roots.clear();
  for (int i = 0; i < 60; ++i) {
    engine::StepSpec step;
    step.name = "step" + std::to_string(i);
    step.op = "Op";
    step.tactic = "t";
    const auto count = static_cast<int>(spec.values.size());
    for (int input = 0; count > 0 && input < 1 + below(3); ++input)
      step.inputs.push_back({std::max(0, count - 1 - below(10))});
    for (int output = 0; output < 1 + below(2); ++output) {
      step.outputs.push_back({static_cast<int32_t>(spec.values.size())});
      roots.push_back(static_cast<int32_t>(spec.values.size()));
      spec.values.push_back({"v", DType::kF32, {sizes[below(5)], 1 + below(40)}});
    }
    if (below(4) == 0) {  // another shape of the last value
      engine::ValueSpec alias = spec.values.back();
      alias.shape.dims.insert(alias.shape.dims.begin(), Dim(1));
      roots.push_back(roots.back());
      spec.values.push_back(alias);
    }
    spec.steps.push_back(std::move(step));
  }
  return spec;
}

TEST(MemoryPlan, LiveValuesNeverShareASlot) {
  size_t slots = 0, values = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::vector<int32_t> roots;
    EngineSpec spec = random_spec(seed, roots);
    plan_memory(spec, roots);
    expect_values_survive(spec, roots);
    const Status status = engine::validate_spec(spec, "spec");
    ASSERT_TRUE(status.ok()) << seed << ": " << status.to_string();
    slots += spec.slots.size();
    values += spec.values.size();
  }
  EXPECT_LT(slots * 3, values);  // slots are shared at all
}

TEST(MemoryPlan, SlotsFitTheirValuesForAnyExtents) {
  std::vector<int32_t> roots;
  EngineSpec spec = random_spec(1, roots);
  plan_memory(spec, roots);
  for (const int64_t tokens : {1, 7, 32}) {
    for (const int64_t rows : {1, 5}) {
      const DimBindings bindings{{"tokens", tokens}, {"rows", rows}};
      for (const engine::ValueSpec& value : spec.values) {
        int64_t room = 0;
        for (const Dim& bytes : spec.slots[static_cast<size_t>(value.index)].bytes)
          room = std::max(room, *bytes.evaluate(bindings));
        EXPECT_LE(*engine::value_bytes(value.dtype, value.shape).evaluate(bindings), room);
      }
    }
  }
}

TEST(MemoryPlan, ChainOfEqualStepsTakesTwoSlots) {
  EngineSpec spec;
  std::vector<int32_t> roots;
  spec.profile = {{"tokens", 1, 8, 32}};
  for (int32_t i = 0; i < 10; ++i) {
    spec.values.push_back({"v", DType::kF32, {Dim::symbol("tokens"), 8}});
    roots.push_back(i);
    engine::StepSpec step;
    step.outputs = {{i}};
    if (i > 0) step.inputs = {{i - 1}};
    spec.steps.push_back(step);
  }
  plan_memory(spec, roots);
  EXPECT_EQ(spec.slots.size(), 2u);
  EXPECT_EQ(spec.slots[0].bytes, std::vector<Dim>{Dim::symbol("tokens") * Dim(32)});
}

TEST(MemoryPlan, LayersOfADecoderReuseTheSameSlots) {
  const EngineSpec spec = plan_spec(input_of(decoder_text()), {});
  EXPECT_LE(spec.slots.size(), 6u);
  EXPECT_GT(spec.values.size(), spec.slots.size());
}

}  // namespace
}  // namespace legato::builder
