#pragma once

#include "kernels/cpu/level/linear.h"
#include "kernels/cpu/problem.h"

namespace legato::kernels::cpu {

/// What Linear and GatedMlp have in common once their attributes are judged.
struct LinearPlan {
  int64_t k = 0;         ///< columns of x
  int64_t features = 0;  ///< columns of the output
  int64_t weight_bytes = 0;
  int64_t weight_rows = 0;  ///< products per token: rows of all weight matrices together
  Activation activation = Activation::kNone;
  Norm norm = Norm::kNone;
  float epsilon = 0;
  bool has_residual = false;
  std::optional<RowCount> rows;
  Element element = Element::kF32;
  int64_t panel_bytes = 0;  ///< of 32 rows of weights
  const LinearKernels* kernels = nullptr;

  /// Bytes of weights once and of each row of x, residual and output; two operations a weight and
  /// row.
  Cost cost(const StepSize& size) const;
};

/// Judges attributes and operands that both ops share: x and output, the (first) weight,
/// activation, norm with the inputs `norm_weight` and `norm_weight` + 1. kUnsupported names what
/// doesn't fit.
Status check_shared(const Problem& problem, size_t norm_weight);
/// Fills what check_shared() judged.
LinearPlan shared_plan(const Problem& problem, CpuLevel level);
/// The launch as far as the plan, x, the norm and the output tell it.
LinearWork shared_work(const LinearPlan& plan, const LaunchArgs& args, size_t norm_weight);

/// The operand's floats, or null when it is absent.
const float* floats(const LaunchArgs& args, size_t index);

}  // namespace legato::kernels::cpu
