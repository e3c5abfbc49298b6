#pragma once

#include "kernels/cpu/level/linear.h"
#include "kernels/cpu/level/norm.h"
#include "kernels/cpu/simd/vector_math.h"

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

/// Where virtual panel `panel` of the weights lies.
inline const char* panel_of(const LinearWork& work, int64_t panel) {
  return static_cast<const char*>(work.weights[panel % 2]) + panel / 2 * work.panel_step;
}

LEGATO_SIMD Vec activate(Activation activation, Vec x) {
  switch (activation) {
    case Activation::kRelu:
      return vmax(vzero(), x);
    case Activation::kGelu:
      return vgelu(x);
    case Activation::kGeluTanh:
      return vgelu_tanh(x);
    case Activation::kSilu:
      return vsilu(x);
    case Activation::kNone:
      break;
  }
  return x;
}

/// Finished sums of some panels and tokens: row t, panel p, lane i at t * stride + 32 p + i.
struct Sums {
  const float* c;
  int64_t stride;
  int64_t first_panel;
  int64_t panels;
  int64_t first_token;
  int64_t tokens;
};

/// Asks for the lines that a row's results go to.
inline void prefetch_row(const LinearWork& work, const Sums& sums, int64_t t) {
  if (t >= sums.tokens) return;
  const int64_t shift = work.gated ? 1 : 0;
  const float* out = work.out + (sums.first_token + t) * work.out_stride;
  const int64_t begin = (sums.first_panel >> shift) * kPanelLanes;
  const int64_t end = begin + (sums.panels >> shift) * kPanelLanes;
  for (int64_t i = begin; i < end && i < work.features; i += 16) __builtin_prefetch(out + i, 1);
}

template <Activation A>
inline void finish_rows(const LinearWork& work, const Sums& sums) {
  const int64_t shift = work.gated ? 1 : 0;
  // Results are written where nothing has been read: without this each line would be a wait.
  constexpr int64_t kRowsAhead = 2;
  for (int64_t t = 0; t < kRowsAhead; ++t) prefetch_row(work, sums, t);
  for (int64_t t = 0; t < sums.tokens; ++t) {
    prefetch_row(work, sums, t + kRowsAhead);
    float* out = work.out + (sums.first_token + t) * work.out_stride;
    const float* residual = work.residual == nullptr
                                ? nullptr
                                : work.residual + (sums.first_token + t) * work.residual_stride;
    for (int64_t p = 0; p < sums.panels; p += int64_t{1} << shift) {
      const float* c = sums.c + t * sums.stride + p * kPanelLanes;
      const int64_t begin = ((sums.first_panel + p) >> shift) * kPanelLanes;
      const int64_t end = begin + kPanelLanes < work.features ? begin + kPanelLanes : work.features;
      for (int64_t i = begin; i < end; i += kLanes) {
        Vec y = vload(c + (i - begin));
        if (work.bias != nullptr) y = vadd(y, load_upto(work.bias, end, i));
        y = activate(A, y);
        if (work.gated) {
          Vec up = vload(c + kPanelLanes + (i - begin));
          if (work.up_bias != nullptr) up = vadd(up, load_upto(work.up_bias, end, i));
          y = vmul(y, up);
        }
        if (residual != nullptr) y = vadd(y, load_upto(residual, end, i));
        store_upto(out, end, i, y);
      }
    }
  }
}

/// out = activation(sum + bias) + residual, or activation(gate + bias) * (up + up_bias).
inline void finish_tile(const LinearWork& work, const Sums& sums) {
  switch (work.activation) {
    case Activation::kRelu:
      return finish_rows<Activation::kRelu>(work, sums);
    case Activation::kGelu:
      return finish_rows<Activation::kGelu>(work, sums);
    case Activation::kGeluTanh:
      return finish_rows<Activation::kGeluTanh>(work, sums);
    case Activation::kSilu:
      return finish_rows<Activation::kSilu>(work, sums);
    case Activation::kNone:
      return finish_rows<Activation::kNone>(work, sums);
  }
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
