#pragma once

#include <cmath>
#include <cstdint>

namespace legato::kernels {

/// Unit roundoffs of the 16-bit types.
inline constexpr double kRoundoffF16 = 0x1p-11;
inline constexpr double kRoundoffBF16 = 0x1p-8;

/// What the order of additions alone may move logits in f32 by, as a share of the largest.
inline constexpr double kF32Tolerance = 1e-4;

/// How far logits may move, as a share of the largest, when operands are rounded to a type of unit
/// roundoff `roundoff` (0: f32) and the longest sum has `terms` products: so many independent
/// roundings add up like a random walk, to u * sqrt(K) of the largest term.
inline double logit_tolerance(double roundoff, int64_t terms) {
  return kF32Tolerance + roundoff * std::sqrt(static_cast<double>(terms));
}

}  // namespace legato::kernels
