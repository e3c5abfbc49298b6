#pragma once

#include <cmath>
#include <cstdint>

#include "tensor/quant_format.h"

namespace legato::kernels {

/// Unit roundoffs of the 16-bit types.
inline constexpr double kRoundoffF16 = 0x1p-11;
inline constexpr double kRoundoffBF16 = 0x1p-8;

/// The unit roundoff of a type that weights or the cache are rounded to: for codes of b bits 2^-b,
/// half a step relative to the largest of a group; 0 for f32 and integers.
inline double unit_roundoff(DType dtype) {
  if (is_quantised(dtype)) return std::ldexp(1.0, -quant_format(dtype).code_bits);
  if (dtype == DType::kF16) return kRoundoffF16;
  return dtype == DType::kBF16 ? kRoundoffBF16 : 0;
}

/// Distance of 1 to the next f32.
inline constexpr double kEpsilonF32 = 0x1p-23;

/// How far a sum of `terms` products of f32 may move, as a share of the largest result: each
/// rounding moves it by an epsilon of its size at most, and they add up like a random walk. The
/// constant is for what comes before and after the sum.
inline double sum_tolerance(int64_t terms) {
  return kEpsilonF32 * (2 * std::sqrt(static_cast<double>(terms)) + 16);
}

/// What the order of additions alone may move logits in f32 by, as a share of the largest.
inline constexpr double kF32Tolerance = 1e-4;

/// How far logits may move, as a share of the largest, when operands are rounded to a type of unit
/// roundoff `roundoff` (0: f32) and the longest sum has `terms` products: so many independent
/// roundings add up like a random walk, to u * sqrt(K) of the largest term.
inline double logit_tolerance(double roundoff, int64_t terms) {
  return kF32Tolerance + roundoff * std::sqrt(static_cast<double>(terms));
}

/// The same for a net of `layers` layers whose weights and cache are rounded. The rounding errors
/// of a layer grow as its own output does, so each moves the state by a few roundoffs of its size
/// (attention with sharp weights by more), whatever K; layers add up like a random walk.
inline constexpr double kLayerRoundoffs = 4;

inline double logit_tolerance(double roundoff, int64_t terms, int64_t layers) {
  return logit_tolerance(roundoff, terms) +
         kLayerRoundoffs * roundoff * std::sqrt(static_cast<double>(layers));
}

}  // namespace legato::kernels
