#pragma once

#include <memory>

#include "kernels/tactic.h"

namespace legato::kernels::cpu {

std::unique_ptr<Tactic> make_linear();
std::unique_ptr<Tactic> make_gated_mlp();
std::unique_ptr<Tactic> make_attention();
std::unique_ptr<Tactic> make_embedding();
std::unique_ptr<Tactic> make_rms_norm();
std::unique_ptr<Tactic> make_layer_norm();
std::unique_ptr<Tactic> make_rope();
std::unique_ptr<Tactic> make_rotary_table();
std::unique_ptr<Tactic> make_gather();
std::unique_ptr<Tactic> make_add();
std::unique_ptr<Tactic> make_mul();

}  // namespace legato::kernels::cpu
