#pragma once

#include <memory>
#include <string_view>

#include "kernels/cpu/level/rows.h"
#include "kernels/tactic.h"

namespace legato::kernels::cpu {

/// The tactic `name` for `op`, which computes each row by the level's `function`.
std::unique_ptr<Tactic> make_elementwise_tactic(std::string_view name, std::string_view op,
                                                BinaryRow RowKernels::*function);

}  // namespace legato::kernels::cpu
