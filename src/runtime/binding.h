#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engine/schema.h"
#include "kernels/step.h"
#include "kernels/tactic.h"
#include "runtime/extent.h"

namespace legato::runtime {

/// The inputs that a step of a decoder is fed with, by their names in the engine.
enum class StepInput { kInputIds, kPositions, kLogitRows };
inline constexpr int kNumStepInputs = 3;
std::string_view step_input_name(StepInput input);

/// An operand of a step before its memory is known.
struct BoundOperand {
  bool present = false;
  kernels::Operand operand;  ///< without data; symbolic extents are 0
  engine::Storage storage = engine::Storage::kSlot;
  size_t index = 0;             ///< of the step input, weight, slot or output
  uint64_t first_byte = 0;      ///< of a column view within its row
  std::vector<Extent> extents;  ///< of every axis; the last one that of the whole rows
  bool column_view = false;
};

/// One launch: the kernel that the engine's tactic made for this step, and its operands.
struct BoundStep {
  std::unique_ptr<kernels::Kernel> kernel;
  std::vector<BoundOperand> inputs;
  std::vector<BoundOperand> outputs;
};

/// An engine's steps as kernels.
struct Binding {
  std::vector<BoundStep> steps;
  std::vector<StepInput> inputs;  ///< in the order of the engine's inputs
  uint64_t workspace_bytes = 0;   ///< the most that any kernel needs
};

/// Finds each step's tactic by name and binds it. Typed errors name the step and the tactic, input
/// or operand that this build can't run.
Result<Binding> bind_engine(const engine::EngineSpec& spec, const kernels::Limits& limits,
                            CpuLevel level);

}  // namespace legato::runtime
