#pragma once

#include "kernels/cpu/level/types.h"

namespace legato::kernels::cpu {

/// Operations on single rows.
struct RowKernels {
  /// out = norm(x), n columns; may be in place.
  void (*norm)(const float* x, int64_t n, const NormSpec& norm, float* out);
  /// Rotates `heads` heads of `head_dim` columns: see rotate_head().
  void (*rope)(const float* x, int64_t heads, int64_t head_dim, const float* table,
               int64_t rotary_dim, bool interleaved, float* out);
  /// out[i] = source[i] * scale, elements of source `stride` apart.
  void (*embed)(Element element, const void* source, int64_t stride, int64_t n, float scale,
                float* out);
  /// out = a + b, out = a * b.
  void (*add)(const float* a, const float* b, int64_t n, float* out);
  void (*multiply)(const float* a, const float* b, int64_t n, float* out);
  /// Conversions with the rounding of tensor/half.h.
  void (*narrow)(Element element, const float* source, int64_t n, void* out);
};

}  // namespace legato::kernels::cpu
