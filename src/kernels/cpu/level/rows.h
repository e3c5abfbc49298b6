#pragma once

#include "kernels/cpu/level/types.h"

namespace legato::kernels::cpu {

/// out = a + b or the like, n columns.
using BinaryRow = void (*)(const float* a, const float* b, int64_t n, float* out);

/// How the heads of a row are rotated; the other columns of each head are copied.
struct RopeSpec {
  int64_t heads = 0;
  int64_t head_dim = 0;
  int64_t rotary_dim = 0;
  bool interleaved = false;
};

/// Operations on single rows.
struct RowKernels {
  /// out = norm(x), n columns; may be in place.
  void (*norm)(const float* x, int64_t n, const NormSpec& norm, float* out);
  /// Rotates the heads of x by a row of the rotary table: see rotate_head(); may be in place.
  void (*rope)(const RopeSpec& spec, const float* x, const float* table, float* out);
  /// out[i] = source[i] * scale, elements of source `stride` apart.
  void (*embed)(Element element, const void* source, int64_t stride, int64_t n, float scale,
                float* out);
  BinaryRow add;
  BinaryRow multiply;
  /// Conversions with the rounding of tensor/half.h.
  void (*narrow)(Element element, const float* source, int64_t n, void* out);
};

}  // namespace legato::kernels::cpu
