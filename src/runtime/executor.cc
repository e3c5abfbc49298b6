#include "runtime/executor.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace legato::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

const std::byte* place_of(const BoundOperand& bound, const Binding& binding, const MemoryPlan& plan,
                          const engine::Engine& engine, const std::byte* arena) {
  switch (bound.storage) {
    case engine::Storage::kInput:
      return arena + plan.inputs[static_cast<size_t>(binding.inputs[bound.index])];
    case engine::Storage::kWeight:
      return engine.weights() + engine.spec().weights[bound.index].offset;
    case engine::Storage::kSlot:
      return arena + plan.slots[bound.index];
    case engine::Storage::kOutput:
      return arena + plan.logits;
  }
  return nullptr;
}

}  // namespace

Executor::Executor(Binding binding, const MemoryPlan& plan, const engine::Engine& engine,
                   std::byte* arena, std::unique_ptr<Team> team)
    : binding_(std::move(binding)),
      launches_(binding_.steps.size()),
      times_(binding_.steps.size()),
      team_(std::move(team)) {
  for (size_t i = 0; i < launches_.size(); ++i) {
    Launch& launch = launches_[i];
    bind_operands(binding_.steps[i].inputs, launch.inputs, plan, engine, arena);
    bind_operands(binding_.steps[i].outputs, launch.outputs, plan, engine, arena);
    launch.args = {launch.inputs, launch.outputs, arena + plan.workspace, &batch_, &cache_};
  }
  body_ = [this](TeamMember& member) {
    if (profiling_) {
      execute_timed(member);
    } else {
      execute(member);
    }
  };
}

void Executor::bind_operands(const std::vector<BoundOperand>& bound,
                             std::vector<kernels::Operand>& operands, const MemoryPlan& plan,
                             const engine::Engine& engine, std::byte* arena) {
  operands.reserve(bound.size());  // moving extents point into it
  for (const BoundOperand& from : bound) {
    operands.push_back(from.operand);
    if (!from.present) continue;
    kernels::Operand& operand = operands.back();
    // Kernels only read weights and inputs; Operand has one pointer for both directions.
    operand.data =
        const_cast<std::byte*>(place_of(from, binding_, plan, engine, arena)) + from.first_byte;
    const int rank = operand.shape.rank();
    for (int axis = 0; axis < rank; ++axis) {
      const Extent& extent = from.extents[static_cast<size_t>(axis)];
      const bool last = axis + 1 == rank;
      if (!extent.is_constant() && !(last && from.column_view))
        moving_.push_back({&operand, axis, extent, last});
    }
  }
}

void Executor::put_extents(const StepExtents& extents) {
  if (extents == extents_) return;
  extents_ = extents;
  for (const MovingExtent& moving : moving_) {
    const int64_t value = moving.extent.at(extents);
    moving.operand->shape[moving.axis] = value;
    if (moving.sets_stride) moving.operand->row_stride = value;
  }
  last_launch_ = 0;
  for (size_t i = 0; i < launches_.size(); ++i) {
    Launch& launch = launches_[i];
    launch.idle = true;
    for (const kernels::Operand& output : launch.outputs)
      launch.idle = launch.idle && (!output.present() || output.shape.elements() == 0);
    if (!launch.idle) last_launch_ = i;
  }
}

void Executor::run(const StepExtents& extents, const kernels::RaggedBatch& batch,
                   const kernels::KvView& cache) {
  put_extents(extents);
  batch_ = batch;
  cache_ = cache;
  team_->run(body_);
}

void Executor::execute(TeamMember& member) {
  for (size_t i = 0; i < launches_.size(); ++i) {
    if (launches_[i].idle) continue;
    binding_.steps[i].kernel->launch(launches_[i].args, member);
    if (i != last_launch_) member.barrier();  // the team ends a run with one of its own
  }
}

void Executor::execute_timed(TeamMember& member) {
  const bool keeps_time = member.rank() == 0;
  Clock::time_point begin = Clock::now();
  for (size_t i = 0; i < launches_.size(); ++i) {
    if (launches_[i].idle) continue;
    binding_.steps[i].kernel->launch(launches_[i].args, member);
    const Clock::time_point done = Clock::now();
    member.barrier();
    const Clock::time_point end = Clock::now();
    if (keeps_time) {
      times_[i].seconds += seconds_between(begin, done);
      times_[i].barrier_seconds += seconds_between(done, end);
      ++times_[i].launches;
    }
    begin = end;
  }
}

void Executor::reset_profile() { std::fill(times_.begin(), times_.end(), KernelTime{}); }

std::vector<kernels::Cost> Executor::costs(const kernels::StepSize& size) const {
  std::vector<kernels::Cost> costs;
  for (const BoundStep& step : binding_.steps) costs.push_back(step.kernel->cost(size));
  return costs;
}

}  // namespace legato::runtime
