#include "kernels/cpu/rows/norm_tactic.h"

namespace legato::kernels::cpu {

void register_layer_norm(TacticRegistry& registry) {
  registry.add(make_norm_tactic("cpu.layer_norm.rows", "LayerNorm", Norm::kLayer));
}

}  // namespace legato::kernels::cpu
