#pragma once

#include "base/status.h"
#include "device/cpu/cpu_level.h"
#include "engine/schema.h"
#include "kernels/step.h"
#include "runtime/context.h"

namespace legato::runtime {

/// Judges options against the engine and the machine and puts the usable cores for 0 threads.
/// kInvalidArgument and kDeviceMismatch name the option, its value and the bound.
Result<kernels::Limits> judge_options(const engine::EngineSpec& spec,
                                      const ContextOptions& options);

inline constexpr int kMaxThreads = 1024;
inline constexpr int64_t kMaxSequences = 65536;

}  // namespace legato::runtime
