#pragma once

#include "legato/engine.h"

namespace legato::cli {

/// How far an engine's logits may lie from those of the model in fp32, as a share of the largest.
struct Tolerance {
  double relative = 0;
  /// A greedy step whose margin is smaller may go another way; in logits.
  double min_margin = 0;
};

/// 1e-4 (and a margin of 1e-3) where weights and cache are f32. Otherwise
///   1e-4 + u * sqrt(K) / 2
/// with u the unit roundoff of the coarser of both types (2^-11 for f16, 2^-8 for bf16, 2^-b for
/// weights of b bits, half a step of their codes relative to the largest of a group) and K the
/// terms of the longest sum: K independent roundings of relative size u add up to about
/// u * sqrt(K) of the largest term. The margin is then what both logits' errors can overturn.
Tolerance default_tolerance(const EngineInfo& info, DataType kv_type, double largest_logit);
/// The margin that belongs to a tolerance of the user's own.
double margin_of(double relative, double largest_logit);

}  // namespace legato::cli
