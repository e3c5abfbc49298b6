#pragma once

#include "kernels/tactic.h"

namespace legato::kernels {

/// Adds the CPU's fast tactics, in the order in which the builder should prefer them.
void register_cpu_tactics(TacticRegistry& registry);

}  // namespace legato::kernels
