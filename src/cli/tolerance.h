#pragma once

#include "legato/engine.h"

namespace legato::cli {

/// How far an engine's logits may lie from those of the model in fp32, as a share of the largest.
struct Tolerance {
  double relative = 0;
  /// A greedy step whose margin is smaller may go another way; in logits.
  double min_margin = 0;
};

/// kernels/rounding.h's formula with the coarser type of weights and cache. The margin is 1e-3
/// where both are f32, otherwise what both logits' errors can overturn.
Tolerance default_tolerance(const EngineInfo& info, DataType kv_type, double largest_logit);
/// The margin that belongs to a tolerance of the user's own.
double margin_of(double relative, double largest_logit);

}  // namespace legato::cli
