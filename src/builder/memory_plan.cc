#include "builder/memory_plan.h"

#include <algorithm>
#include <optional>

#include "base/status.h"
#include "engine/validate.h"

namespace legato::builder {
namespace {

/// A size as the plan compares it: exact, and as a number at the greatest extents.
struct Size {
  Dim exact;
  int64_t greatest = 0;
};

class Planner {
 public:
  Planner(engine::EngineSpec& spec, const std::vector<int32_t>& roots)
      : spec_(spec),
        roots_(roots),
        bindings_(engine::profile_bindings(spec, true)),
        last_use_(spec.values.size(), -1) {}

  void run() {
    find_last_uses();
    const auto num_steps = static_cast<int64_t>(spec_.steps.size());
    std::vector<std::vector<int32_t>> dying(spec_.steps.size());
    for (int64_t now = 0; now < num_steps; ++now) {
      const auto& outputs = spec_.steps[static_cast<size_t>(now)].outputs;
      for (const engine::OperandRef& output : outputs) {
        engine::ValueSpec& value = spec_.values[static_cast<size_t>(output.value)];
        if (value.storage != engine::Storage::kSlot) continue;
        value.index = take(size_of(value));
        const int64_t last = std::max(now, last_use_[static_cast<size_t>(output.value)]);
        dying[static_cast<size_t>(last)].push_back(value.index);
      }
      // Only now: a step never writes where it reads.
      for (const int32_t slot : dying[static_cast<size_t>(now)])
        free_[static_cast<size_t>(slot)] = true;
    }
    for (size_t i = 0; i < spec_.values.size(); ++i) {
      engine::ValueSpec& value = spec_.values[i];
      if (value.storage == engine::Storage::kSlot)
        value.index = spec_.values[static_cast<size_t>(roots_[i])].index;
    }
  }

 private:
  void find_last_uses() {
    for (size_t now = 0; now < spec_.steps.size(); ++now) {
      for (const engine::OperandRef& input : spec_.steps[now].inputs) {
        if (input.value < 0) continue;
        const int32_t root = roots_[static_cast<size_t>(input.value)];
        last_use_[static_cast<size_t>(root)] = static_cast<int64_t>(now);
      }
    }
  }

  Size size_of(const engine::ValueSpec& value) const {
    const Dim bytes = engine::value_bytes(value.dtype, value.shape);
    return {bytes, value_or_throw(bytes.evaluate(bindings_))};
  }

  int32_t take(const Size& size) {
    std::optional<size_t> best;
    for (size_t slot = 0; slot < free_.size(); ++slot) {
      if (!free_[slot] || !can_hold(slot, size.exact)) continue;
      if (!best || is_better(capacity_[slot], capacity_[*best], size.greatest)) best = slot;
    }
    if (!best) {
      best = free_.size();
      free_.push_back(true);
      capacity_.push_back(0);
      spec_.slots.emplace_back();
    }
    free_[*best] = false;
    capacity_[*best] = std::max(capacity_[*best], size.greatest);
    enlarge(spec_.slots[*best].bytes, size.exact);
    return static_cast<int32_t>(*best);
  }

  /// The smallest that is large enough; of those that must grow, the largest.
  static bool is_better(int64_t capacity, int64_t other, int64_t needed) {
    if ((capacity >= needed) != (other >= needed)) return capacity >= needed;
    return capacity >= needed ? capacity < other : capacity > other;
  }

  /// A slot lists few sizes that don't contain each other.
  bool can_hold(size_t slot, const Dim& size) const {
    std::vector<Dim> sizes = spec_.slots[slot].bytes;
    enlarge(sizes, size);
    return sizes.size() <= engine::kMaxSlotSizes;
  }

  static void enlarge(std::vector<Dim>& sizes, const Dim& size) {
    for (const Dim& known : sizes)
      if (engine::always_fits(size, known)) return;
    std::erase_if(sizes, [&size](const Dim& known) { return engine::always_fits(known, size); });
    sizes.push_back(size);
  }

  engine::EngineSpec& spec_;
  const std::vector<int32_t>& roots_;
  DimBindings bindings_;
  std::vector<int64_t> last_use_;  ///< step that reads a root or an alias of it last
  std::vector<bool> free_;
  std::vector<int64_t> capacity_;
};

}  // namespace

void plan_memory(engine::EngineSpec& spec, const std::vector<int32_t>& roots) {
  Planner(spec, roots).run();
}

}  // namespace legato::builder
