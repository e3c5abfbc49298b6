#include "kernels/cpu/register_tactics.h"

#include "kernels/cpu/tactics.h"

namespace legato::kernels {

void register_cpu_tactics(TacticRegistry& registry) {
  registry.add(cpu::make_linear());
  registry.add(cpu::make_gated_mlp());
  registry.add(cpu::make_attention());
  registry.add(cpu::make_embedding());
  registry.add(cpu::make_rms_norm());
  registry.add(cpu::make_layer_norm());
  registry.add(cpu::make_rope());
  registry.add(cpu::make_rotary_table());
  registry.add(cpu::make_gather());
  registry.add(cpu::make_add());
  registry.add(cpu::make_mul());
}

}  // namespace legato::kernels
