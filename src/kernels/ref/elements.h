#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/step.h"
#include "tensor/tensor.h"

namespace legato::kernels::ref {

/// Elements of an operand by their row-major index, whatever its row stride.
inline int64_t offset_of(const Operand& operand, int64_t index) {
  const int64_t columns = operand.columns();
  if (columns == 0 || operand.row_stride == columns) return index;
  return index / columns * operand.row_stride + index % columns;
}

inline double load(const Operand& operand, int64_t index) {
  return load_element(operand.dtype, operand.data, offset_of(operand, index));
}
inline void store(const Operand& operand, int64_t index, double value) {
  store_element(operand.dtype, operand.data, offset_of(operand, index), value);
}

/// Integers without a detour over floating point.
inline int64_t load_integer(const Operand& operand, int64_t index) {
  int64_t value = 0;
  const auto* data = static_cast<const std::byte*>(operand.data);
  convert_elements(
      operand.dtype,
      data + static_cast<size_t>(offset_of(operand, index)) * dtype_bytes(operand.dtype),
      DType::kI64, &value, 1);
  return value;
}
inline void store_integer(const Operand& operand, int64_t index, int64_t value) {
  auto* data = static_cast<std::byte*>(operand.data);
  convert_elements(
      DType::kI64, &value, operand.dtype,
      data + static_cast<size_t>(offset_of(operand, index)) * dtype_bytes(operand.dtype), 1);
}

/// Copies one element between operands of equal dtype.
inline void copy_element(const Operand& from, int64_t from_index, const Operand& to,
                         int64_t to_index) {
  const size_t bytes = dtype_bytes(from.dtype);
  std::memcpy(
      static_cast<std::byte*>(to.data) + static_cast<size_t>(offset_of(to, to_index)) * bytes,
      static_cast<const std::byte*>(from.data) +
          static_cast<size_t>(offset_of(from, from_index)) * bytes,
      bytes);
}

/// All elements in row-major order, between operands of equal dtype and number of elements.
inline void copy_all(const Operand& from, const Operand& to) {
  const int64_t count = to.shape.elements();
  for (int64_t i = 0; i < count; ++i) copy_element(from, i, to, i);
}

/// One number an axis.
using Index = std::array<int64_t, Shape::kMaxRank>;

/// Elements from one index to the next along each axis of a dense tensor.
inline Index strides_of(const Shape& shape) {
  Index strides{};
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/// Strides of `shape` as seen from the larger shape it broadcasts to: 0 along axes that repeat.
inline Index broadcast_strides(const Shape& shape, const Shape& result) {
  const Index own = strides_of(shape);
  Index strides{};
  const int skipped = result.rank() - shape.rank();
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] != 1)
      strides[static_cast<size_t>(axis + skipped)] = own[static_cast<size_t>(axis)];
  return strides;
}

/// Calls body(index, flat) for every element of a shape in row-major order.
template <typename Body>
void for_each_index(const Shape& shape, Body&& body) {
  Index index{};
  const int64_t count = shape.elements();
  for (int64_t flat = 0; flat < count; ++flat) {
    body(index, flat);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (++index[static_cast<size_t>(axis)] < shape[axis]) break;
      index[static_cast<size_t>(axis)] = 0;
    }
  }
}

inline int64_t dot(const Index& index, const Index& strides) {
  int64_t sum = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) sum += index[axis] * strides[axis];
  return sum;
}

}  // namespace legato::kernels::ref
