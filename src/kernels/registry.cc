#include <fmt/format.h>

#include "kernels/cpu/register_tactics.h"
#include "kernels/tactic.h"

namespace legato::kernels {

namespace ref {
void register_all_ref(TacticRegistry& registry);  // generated from the files of ref/
}  // namespace ref

const Tactic* TacticRegistry::find(std::string_view name) const {
  for (const auto& tactic : tactics_)
    if (tactic->name() == name) return tactic.get();
  return nullptr;
}

std::vector<const Tactic*> TacticRegistry::for_op(std::string_view op, Backend backend) const {
  std::vector<const Tactic*> list;
  for (const auto& tactic : tactics_)
    if (tactic->op() == op && tactic->backend() == backend) list.push_back(tactic.get());
  return list;
}

Result<const Tactic*> TacticRegistry::choose(const Problem& problem,
                                             const DeviceInfo& device) const {
  std::string reasons;
  for (const Tactic* tactic : for_op(problem.op, device.backend)) {
    const Status status = tactic->supports(problem, device);
    if (status.ok()) return tactic;
    reasons += fmt::format("; {}: {}", tactic->name(), status.message);
  }
  if (reasons.empty()) reasons = "; there is none";
  return fail(Code::kUnsupported, problem.op, "no tactic supports it" + reasons);
}

const TacticRegistry& tactics() {
  static const TacticRegistry registry = [] {
    TacticRegistry built;
    cpu::register_all_tactics(built);
    ref::register_all_ref(built);
    return built;
  }();
  return registry;
}

const TacticRegistry& reference_tactics() {
  static const TacticRegistry registry = [] {
    TacticRegistry built;
    ref::register_all_ref(built);
    return built;
  }();
  return registry;
}

}  // namespace legato::kernels
