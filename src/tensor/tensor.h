#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace legato {

/// A dense row-major tensor in host memory, 64-byte aligned, shared on copy. Zero-filled when made.
/// One of a quantised dtype is a matrix of whole blocks and holds its rows in the plain layout.
class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Shape shape);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  size_t bytes() const;

  template <typename T>
  T* data() {
    return reinterpret_cast<T*>(storage_.get());
  }
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(storage_.get());
  }
  std::span<std::byte> raw() { return {storage_.get(), bytes()}; }
  std::span<const std::byte> raw() const { return {storage_.get(), bytes()}; }

 private:
  DType dtype_ = DType::kF32;
  Shape shape_;
  std::shared_ptr<std::byte> storage_;
};

/// Element `index` of a dense array of any dtype, as a double (64-bit integers lose precision above
/// 2^53).
double load_element(DType dtype, const void* data, int64_t index);
void store_element(DType dtype, void* data, int64_t index, double value);
/// Converts `count` elements, rounding to nearest even; floats to integers truncate. Source and
/// target don't overlap.
void convert_elements(DType from, const void* source, DType to, void* target, int64_t count);

}  // namespace legato
