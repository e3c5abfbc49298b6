#include "kernels/cpu/rows/elementwise_tactic.h"

namespace legato::kernels::cpu {

void register_add(TacticRegistry& registry) {
  registry.add(make_elementwise_tactic("cpu.add.rows", "Add", &RowKernels::add));
}

}  // namespace legato::kernels::cpu
