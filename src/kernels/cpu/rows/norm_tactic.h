#pragma once

#include <memory>
#include <string_view>

#include "kernels/activation.h"
#include "kernels/tactic.h"

namespace legato::kernels::cpu {

/// The tactic `name` for `op`, which normalises rows (or groups of their columns) by `norm`.
std::unique_ptr<Tactic> make_norm_tactic(std::string_view name, std::string_view op, Norm norm);

}  // namespace legato::kernels::cpu
