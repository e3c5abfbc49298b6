#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tensor/dtype.h"

namespace legato {

/// A NaN or an infinity among weights.
struct NotFinite {
  int64_t row = 0;
  int64_t column = 0;  ///< of a scale: the first one that it is for
  float value = 0;
};

/// The first NaN or infinity in rows of the plain layout: among the elements of f32, f16 and bf16,
/// among the scales and minima of a quantised dtype. Codes are always numbers, and no product of
/// finite scales leaves f32. Other dtypes have none.
std::optional<NotFinite> find_not_finite(DType dtype, const std::byte* rows, int64_t num_rows,
                                         int64_t columns);

}  // namespace legato
