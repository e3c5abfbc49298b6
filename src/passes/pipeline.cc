#include <array>

#include "passes/pass.h"

namespace legato::passes {

std::span<const Pass> pipeline() {
  static constexpr std::array kPasses = {
      Pass{"fold-constants", "computes what hangs on constants alone", fold_constants},
      Pass{"cast-weights", "stores matrices in the precision that was asked for", cast_weights},
      Pass{"pack-qkv", "one matrix for query, key and value", pack_qkv},
      Pass{"pack-gate-up", "interleaves gate and up weights of a gated MLP", pack_gate_up},
      Pass{"fuse-residual", "adds a residual where a Linear writes its result", fuse_residual},
      Pass{"fuse-norm", "normalises where a Linear or gated MLP reads its input", fuse_norm},
      Pass{"fuse-rope", "turns and normalises heads inside Attention", fuse_rope},
      Pass{"choose-activation-bits", "rounds activations less where quantised models feel it",
           choose_activation_bits},
      Pass{"eliminate-dead-code", "drops what no output hangs on", eliminate_dead_code},
  };
  return kPasses;
}

}  // namespace legato::passes
