#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/activation.h"

/// Plain structs through which tactics talk to the code of one instruction-set level. No inline
/// functions and no library templates: translation units of a level see nothing else.
namespace legato::kernels::cpu {

/// Element type of weights and of the cache.
enum class Element : uint8_t { kF32, kF16, kBF16 };

/// Columns that activations are cut into; a tile row lies kBlockK floats from the next. Also the
/// length of a run of attention.
inline constexpr int64_t kBlockK = 256;
/// Rows of a weight panel and tokens of a cache block.
inline constexpr int64_t kPanelLanes = 32;

struct NormSpec {
  Norm kind = Norm::kNone;
  float epsilon = 0;
  const float* weight = nullptr;
  const float* bias = nullptr;
};

}  // namespace legato::kernels::cpu
