#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "device/cpu/team.h"
#include "engine/engine.h"
#include "kernels/step.h"
#include "runtime/binding.h"
#include "runtime/context.h"
#include "runtime/extent.h"
#include "runtime/memory_plan.h"

namespace legato::runtime {

/// Launches the kernels of an engine one after the other on a team of threads. Operands are
/// prepared once; a step only puts the extents that changed. One thread.
class Executor {
 public:
  /// `arena` is laid out as `plan` says and outlives the executor, as the engine does.
  Executor(Binding binding, const MemoryPlan& plan, const engine::Engine& engine, std::byte* arena,
           std::unique_ptr<Team> team);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Runs every kernel that has something to compute.
  void run(const StepExtents& extents, const kernels::RaggedBatch& batch,
           const kernels::KvView& cache);

  void enable_profile(bool enabled) { profiling_ = enabled; }
  std::span<const KernelTime> profile() const { return times_; }
  void reset_profile();
  std::vector<kernels::Cost> costs(const kernels::StepSize& size) const;

 private:
  struct Launch {
    std::vector<kernels::Operand> inputs;
    std::vector<kernels::Operand> outputs;
    kernels::LaunchArgs args;
    bool idle = false;  ///< all its outputs are empty
  };
  /// An extent that follows the size of the step.
  struct MovingExtent {
    kernels::Operand* operand = nullptr;
    int axis = 0;
    Extent extent;
    bool sets_stride = false;
  };

  void bind_operands(const std::vector<BoundOperand>& bound,
                     std::vector<kernels::Operand>& operands, const MemoryPlan& plan,
                     const engine::Engine& engine, std::byte* arena);
  void put_extents(const StepExtents& extents);
  void execute(TeamMember& member);
  void execute_timed(TeamMember& member);

  Binding binding_;
  std::vector<Launch> launches_;
  std::vector<MovingExtent> moving_;
  StepExtents extents_{-1, -1};
  size_t last_launch_ = 0;  ///< the last one that is not idle
  kernels::RaggedBatch batch_;
  kernels::KvView cache_;
  bool profiling_ = false;
  std::vector<KernelTime> times_;
  std::function<void(TeamMember&)> body_;  // made once, so that a run allocates nothing
  std::unique_ptr<Team> team_;
};

}  // namespace legato::runtime
