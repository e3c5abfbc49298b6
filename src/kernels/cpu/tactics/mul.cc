#include "kernels/cpu/rows/elementwise_tactic.h"

namespace legato::kernels::cpu {

void register_mul(TacticRegistry& registry) {
  registry.add(make_elementwise_tactic("cpu.mul.rows", "Mul", &RowKernels::multiply));
}

}  // namespace legato::kernels::cpu
