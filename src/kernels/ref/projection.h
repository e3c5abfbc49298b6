#pragma once

#include "kernels/activation_names.h"
#include "kernels/ref/formulas.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {

/// What Linear and GatedMlp share: norm of the input row and the dot products with weight rows.
struct Projection {
  Activation activation = Activation::kNone;
  Norm norm = Norm::kNone;
  double epsilon = 0;
  int64_t width = 0;

  static Result<Projection> of(const Problem& problem) {
    LEGATO_RETURN_IF_ERROR(require_f32(problem, {0}));
    const auto activation =
        activation_from_name(problem.attributes.get_string("activation", "none"));
    const auto norm = norm_from_name(problem.attributes.get_string("norm", "none"));
    if (!activation || !norm) return refuse_problem(problem, "unknown activation or norm");
    LEGATO_ASSIGN_OR_RETURN(const int64_t width, static_extent(problem, problem.inputs[0], -1));
    return Projection{*activation, *norm, problem.attributes.get_float("epsilon", 0.0), width};
  }

  size_t workspace_bytes() const { return static_cast<size_t>(width) * sizeof(double); }

  /// Of the input row; the norm's weight is input `norm_weight`, its bias the next.
  Normalisation normalisation(const LaunchArgs& args, size_t norm_weight) const {
    return {norm, epsilon, operand_at(args.inputs, norm_weight),
            operand_at(args.inputs, norm_weight + 1)};
  }

  /// dot(weight[row], x)
  static double dot(const Operand& weight, int64_t row, const double* x) {
    double sum = 0;
    with_reader(weight.dtype, [&](auto reader) {
      const int64_t begin = row * weight.row_stride;
      for (int64_t k = 0; k < weight.columns(); ++k)
        sum += reader.at(weight.data, begin + k) * x[k];
    });
    return sum;
  }
};

}  // namespace legato::kernels::ref
