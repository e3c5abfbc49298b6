#include "runtime/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.h"

namespace legato::runtime {
namespace {

constexpr uint64_t kAlignment = 64;
/// Kernels load whole vectors and may read (never use) so many bytes behind a tensor.
constexpr uint64_t kReadSlackBytes = 256;
constexpr uint64_t kMaxBytes = uint64_t{1} << 48;

/// Hands out places one after the other; remembers an overflow until the end.
class Layout {
 public:
  uint64_t place(uint64_t bytes) {
    const uint64_t offset = end_;
    if (bytes > kMaxBytes || end_ > kMaxBytes) {
      end_ = kMaxBytes + 1;
    } else {
      end_ = round_up(end_ + bytes, kAlignment);
    }
    return offset;
  }
  uint64_t end() const { return end_; }

 private:
  uint64_t end_ = 0;
};

Result<uint64_t> slot_bytes(const engine::SlotSpec& slot, const DimBindings& greatest) {
  uint64_t bytes = 0;
  for (const Dim& size : slot.bytes) {
    LEGATO_ASSIGN_OR_RETURN(const int64_t value, size.evaluate(greatest));
    bytes = std::max(bytes, static_cast<uint64_t>(std::max<int64_t>(value, 0)));
  }
  return bytes;
}

uint64_t input_bytes(StepInput input, const kernels::Limits& limits) {
  const int64_t count = input == StepInput::kLogitRows ? limits.max_logit_rows : limits.max_tokens;
  return static_cast<uint64_t>(count) * sizeof(int32_t);
}

}  // namespace

Result<MemoryPlan> plan_memory(const engine::EngineSpec& spec, const kernels::Limits& limits,
                               uint64_t workspace_bytes) {
  const DimBindings greatest = {{"tokens", limits.max_tokens},
                                {"logit_rows", limits.max_logit_rows}};
  MemoryPlan plan;
  Layout layout;
  for (const engine::SlotSpec& slot : spec.slots) {
    LEGATO_ASSIGN_OR_RETURN(const uint64_t bytes, slot_bytes(slot, greatest));
    plan.slots.push_back(layout.place(bytes));
  }
  for (int i = 0; i < kNumStepInputs; ++i)
    plan.inputs[static_cast<size_t>(i)] =
        layout.place(input_bytes(static_cast<StepInput>(i), limits));
  const auto logits = checked_mul<uint64_t>(static_cast<uint64_t>(limits.max_logit_rows),
                                            static_cast<uint64_t>(spec.model.vocab_size));
  plan.logits = layout.place(logits && *logits <= kMaxBytes ? *logits * sizeof(float) : ~0ull);
  plan.workspace = layout.place(workspace_bytes);
  layout.place(kReadSlackBytes);
  plan.total_bytes = layout.end();
  if (plan.total_bytes > kMaxBytes)
    return fail(Code::kResourceExhausted, "workspace",
                fmt::format("a step of {} tokens and {} rows of logits takes more than {} bytes",
                            limits.max_tokens, limits.max_logit_rows, kMaxBytes));
  return plan;
}

}  // namespace legato::runtime
