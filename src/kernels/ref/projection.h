#pragma once

#include <algorithm>

#include "kernels/activation_names.h"
#include "kernels/ref/formulas.h"
#include "kernels/ref/weight_row.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {

/// What Linear and GatedMlp share: norms of input rows and their dot products with weight rows.
/// Some input rows are taken together, so that a row of weights is widened once for all of them.
struct Projection {
  static constexpr int64_t kRowsTogether = 16;

  Activation activation = Activation::kNone;
  Norm norm = Norm::kNone;
  double epsilon = 0;
  int64_t width = 0;     ///< columns of x and of the weights
  int64_t features = 0;  ///< columns of the output

  static Result<Projection> of(const Problem& problem) {
    LEGATO_RETURN_IF_ERROR(require_f32(problem, {0}));
    const auto activation =
        activation_from_name(problem.attributes.get_string("activation", "none"));
    const auto norm = norm_from_name(problem.attributes.get_string("norm", "none"));
    if (!activation || !norm) return refuse_problem(problem, "unknown activation or norm");
    LEGATO_ASSIGN_OR_RETURN(const int64_t width, static_extent(problem, problem.inputs[0], -1));
    LEGATO_ASSIGN_OR_RETURN(const int64_t features, static_extent(problem, problem.outputs[0], -1));
    return Projection{*activation, *norm, problem.attributes.get_float("epsilon"), width, features};
  }

  size_t workspace_bytes() const {
    return static_cast<size_t>(kRowsTogether + 1) * static_cast<size_t>(width) * sizeof(double);
  }

  /// Calls body(first row, number of rows, their norms one after the other, room for a weight row).
  template <typename Body>
  void for_each_block(const LaunchArgs& args, size_t norm_weight, Body&& body) const {
    const Operand& x = args.inputs[0];
    auto* normed = reinterpret_cast<double*>(args.workspace);
    double* weight_row = normed + kRowsTogether * width;
    for (int64_t first = 0; first < x.rows(); first += kRowsTogether) {
      const int64_t count = std::min(kRowsTogether, x.rows() - first);
      for (int64_t i = 0; i < count; ++i)
        normalise({norm, epsilon, operand_at(args.inputs, norm_weight),
                   operand_at(args.inputs, norm_weight + 1)},
                  row_of(x, first + i), width, normed + i * width);
      body(first, count, normed, weight_row);
    }
  }

  double dot(const double* weight_row, const double* x) const {
    double sum = 0;
    for (int64_t k = 0; k < width; ++k) sum += weight_row[k] * x[k];
    return sum;
  }
};

}  // namespace legato::kernels::ref
