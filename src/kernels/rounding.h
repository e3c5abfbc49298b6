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

/// The same for a net of `layers` layers whose weights and cache are rounded. The rounding errors
/// of a layer grow as its own output does, so each moves the state by a few roundoffs of its size
/// (attention with sharp weights by more), whatever K; layers add up like a random walk.
inline constexpr double kLayerRoundoffs = 4;

inline double logit_tolerance(double roundoff, int64_t terms, int64_t layers) {
  return logit_tolerance(roundoff, terms) +
         kLayerRoundoffs * roundoff * std::sqrt(static_cast<double>(layers));
}

}  // namespace legato::kernels
