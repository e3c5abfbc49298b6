#pragma once

#include "kernels/tactic.h"

namespace legato::kernels::cpu {

/// Adds the CPU's fast tactics, one a file of tactics/; generated from that folder.
void register_all_tactics(TacticRegistry& registry);

}  // namespace legato::kernels::cpu
