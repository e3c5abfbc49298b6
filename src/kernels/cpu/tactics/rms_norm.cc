#include "kernels/cpu/rows/norm_tactic.h"

namespace legato::kernels::cpu {

void register_rms_norm(TacticRegistry& registry) {
  registry.add(make_norm_tactic("cpu.rms_norm.rows", "RmsNorm", Norm::kRms));
}

}  // namespace legato::kernels::cpu
