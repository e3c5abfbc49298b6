#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "engine/schema.h"
#include "kernels/step.h"
#include "runtime/binding.h"

namespace legato::runtime {

/// Where everything that a context needs lies in its one allocation, in bytes from its start.
struct MemoryPlan {
  std::vector<uint64_t> slots;
  std::array<uint64_t, kNumStepInputs> inputs{};
  uint64_t logits = 0;
  uint64_t workspace = 0;
  uint64_t total_bytes = 0;
};

/// Lays slots, step inputs, logits and the kernels' workspace out for the largest step.
Result<MemoryPlan> plan_memory(const engine::EngineSpec& spec, const kernels::Limits& limits,
                               uint64_t workspace_bytes);

}  // namespace legato::runtime
