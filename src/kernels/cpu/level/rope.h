#pragma once

#include <cstdint>

#include "kernels/cpu/simd/simd.h"

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

/// Rotates the first `rotary_dim` columns of a head in place: (a cos - b sin, b cos + a sin), each
/// product and sum rounded, so that every level and vector width gives the same bits.
/// `table` holds rotary_dim / 2 cosines, then as many sines.
inline void rotate_head(float* __restrict head, const float* __restrict table, int64_t rotary_dim,
                        bool interleaved) {
  const int64_t half = rotary_dim / 2;
  const float* cosine = table;
  const float* sine = table + half;
  if (interleaved) {
    for (int64_t i = 0; i < half; ++i) {
      const float a = head[2 * i];
      const float b = head[2 * i + 1];
      head[2 * i] = a * cosine[i] - b * sine[i];
      head[2 * i + 1] = b * cosine[i] + a * sine[i];
    }
    return;
  }
  for (int64_t i = 0; i < half; ++i) {
    const float a = head[i];
    const float b = head[i + half];
    head[i] = a * cosine[i] - b * sine[i];
    head[i + half] = b * cosine[i] + a * sine[i];
  }
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
