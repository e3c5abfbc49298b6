#pragma once

#include <cstdint>

#include "base/check.h"
#include "kernels/step.h"
#include "tensor/half.h"

namespace legato::kernels::ref {

/// One storage type of floating-point numbers, read as f32 (f64 as f64).
struct ReadF32 {
  static float at(const void* data, int64_t index) {
    return static_cast<const float*>(data)[index];
  }
};
struct ReadF16 {
  static float at(const void* data, int64_t index) {
    return f16_to_f32(static_cast<const uint16_t*>(data)[index]);
  }
};
struct ReadBF16 {
  static float at(const void* data, int64_t index) {
    return bf16_to_f32(static_cast<const uint16_t*>(data)[index]);
  }
};
struct ReadF64 {
  static double at(const void* data, int64_t index) {
    return static_cast<const double*>(data)[index];
  }
};

/// Calls body with the reader of a floating-point dtype, so that the choice stands outside loops.
template <typename Body>
void with_reader(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kF32:
      return body(ReadF32{});
    case DType::kF16:
      return body(ReadF16{});
    case DType::kBF16:
      return body(ReadBF16{});
    case DType::kF64:
      return body(ReadF64{});
    default:
      check_failed("a floating-point dtype", __FILE__, __LINE__);
  }
}

/// Element of an optional vector operand, any floating-point dtype.
inline double vector_at(const Operand& vector, int64_t index, double otherwise) {
  double value = otherwise;
  if (vector.present())
    with_reader(vector.dtype, [&](auto reader) { value = reader.at(vector.data, index); });
  return value;
}

/// An id or position of an i32 or i64 operand.
inline int64_t index_at(const Operand& ids, int64_t index) {
  return ids.dtype == DType::kI64 ? ids.as<int64_t>()[index] : ids.as<int32_t>()[index];
}

/// Row of an f32 operand.
inline float* row_of(const Operand& operand, int64_t row) {
  return operand.as<float>() + row * operand.row_stride;
}

/// The operand, or an absent one where the list is shorter.
inline Operand operand_at(std::span<const Operand> operands, size_t index) {
  return index < operands.size() ? operands[index] : Operand{};
}

}  // namespace legato::kernels::ref
