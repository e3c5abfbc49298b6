#pragma once

#include "kernels/cpu/level/types.h"
#include "kernels/cpu/simd/simd.h"

/// RMS and layer normalisation of one row. Sums run over 32 virtual lanes (column c goes to lane
/// c % 32) that are added as a tree, whatever the vector width.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

inline constexpr int kVectorsPerPanel = static_cast<int>(kPanelLanes) / kLanes;

inline int lanes_left(int64_t n, int64_t at) {
  return n - at >= kLanes ? kLanes : n > at ? static_cast<int>(n - at) : 0;
}
/// The vector at p[at], lanes at and beyond n zero.
LEGATO_SIMD Vec load_upto(const float* p, int64_t n, int64_t at) {
  const int left = lanes_left(n, at);
  return left == kLanes ? vload(p + at) : left == 0 ? vzero() : vload_n(p + at, left);
}
LEGATO_SIMD void store_upto(float* p, int64_t n, int64_t at, Vec v) {
  const int left = lanes_left(n, at);
  if (left == kLanes) {
    vstore(p + at, v);
  } else if (left > 0) {
    vstore_n(p + at, v, left);
  }
}

/// Adds 32 lanes as a tree.
inline float tree_sum(const Vec (&sums)[kVectorsPerPanel]) {
  Vec halves[kVectorsPerPanel];
  for (int v = 0; v < kVectorsPerPanel; ++v) halves[v] = sums[v];
  for (int step = kVectorsPerPanel / 2; step > 0; step /= 2)
    for (int v = 0; v < step; ++v) halves[v] = vadd(halves[v], halves[v + step]);
  return vadd_across(halves[0]);
}

inline float sum_of_squares(const float* x, int64_t n, float mean) {
  Vec sums[kVectorsPerPanel];
  for (Vec& sum : sums) sum = vzero();
  const Vec centre = vset(mean);
  int64_t i = 0;
  for (; i + kPanelLanes <= n; i += kPanelLanes) {
    for (int v = 0; v < kVectorsPerPanel; ++v) {
      const Vec d = vsub(vload(x + i + v * kLanes), centre);
      sums[v] = vfma(d, d, sums[v]);
    }
  }
  for (int v = 0; v < kVectorsPerPanel; ++v) {
    const int left = lanes_left(n, i + v * kLanes);
    if (left == 0) break;
    float lanes[kLanes] = {};
    vstore(lanes, vsub(load_upto(x, n, i + v * kLanes), centre));
    const Vec d = vload_n(lanes, left);
    sums[v] = vfma(d, d, sums[v]);
  }
  return tree_sum(sums);
}

inline float sum_of_row(const float* x, int64_t n) {
  Vec sums[kVectorsPerPanel];
  for (Vec& sum : sums) sum = vzero();
  for (int64_t i = 0; i < n; i += kPanelLanes)
    for (int v = 0; v < kVectorsPerPanel; ++v)
      sums[v] = vadd(sums[v], load_upto(x, n, i + v * kLanes));
  return tree_sum(sums);
}

/// Writes the normalised row (for kNone a copy) in stretches of kBlockK columns, `block_stride`
/// floats apart. x and out may be the same when block_stride is kBlockK.
inline void norm_row(const float* x, int64_t n, const NormSpec& norm, float* out,
                     int64_t block_stride) {
  float mean = 0;
  float inverse = 1;
  if (norm.kind != Norm::kNone) {
    if (norm.kind == Norm::kLayer) mean = sum_of_row(x, n) / static_cast<float>(n);
    const float variance = sum_of_squares(x, n, mean) / static_cast<float>(n);
    inverse = 1.0f / __builtin_sqrtf(variance + norm.epsilon);
  }
  const Vec centre = vset(mean);
  const Vec factor = vset(inverse);
  for (int64_t begin = 0; begin < n; begin += kBlockK, out += block_stride) {
    const int64_t end = begin + kBlockK < n ? begin + kBlockK : n;
    for (int64_t i = begin; i < end; i += kLanes) {
      Vec y = load_upto(x, end, i);
      if (norm.kind == Norm::kLayer) y = vsub(y, centre);
      if (norm.kind != Norm::kNone) y = vmul(y, factor);
      if (norm.weight != nullptr) y = vmul(y, load_upto(norm.weight, end, i));
      if (norm.bias != nullptr) y = vadd(y, load_upto(norm.bias, end, i));
      store_upto(out, end - begin, i - begin, y);
    }
  }
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
