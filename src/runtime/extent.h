#pragma once

#include <cstdint>

#include "base/status.h"
#include "tensor/dim.h"

namespace legato::runtime {

/// How much one step computes: the values of the dimensions "tokens" and "logit_rows".
struct StepExtents {
  int64_t tokens = 0;
  int64_t logit_rows = 0;
  bool operator==(const StepExtents& other) const = default;
};

/// A Dim in a form that is evaluated without allocation: constant + a * tokens + b * logit_rows.
class Extent {
 public:
  /// kUnsupported when the dimension is no such sum.
  static Result<Extent> of(const Dim& dim);

  bool is_constant() const { return per_token_ == 0 && per_logit_row_ == 0; }
  int64_t at(const StepExtents& step) const {
    const int64_t value = constant_ + per_token_ * step.tokens + per_logit_row_ * step.logit_rows;
    return value < 0 ? 0 : value;
  }

 private:
  int64_t constant_ = 0;
  int64_t per_token_ = 0;
  int64_t per_logit_row_ = 0;
};

}  // namespace legato::runtime
