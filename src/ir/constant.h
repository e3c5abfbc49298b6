#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace legato::ir {

/// Data of a constant, read on demand and row by row, so that a model of any size is compiled in
/// bounded memory. Immutable; any thread may read.
class Constant {
 public:
  virtual ~Constant() = default;
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  /// Length of axis 0 (1 for a scalar) and elements of one row (all other axes).
  int64_t rows() const { return shape_.rank() == 0 ? 1 : shape_[0]; }
  int64_t row_elements() const { return rows() == 0 ? 0 : shape_.elements() / rows(); }
  /// Bytes of a row in the plain layout; for a quantised dtype the matrix has whole blocks.
  size_t row_bytes() const { return static_cast<size_t>(*dtype_row_bytes(dtype_, row_elements())); }

  /// Copies rows [first, first + count) densely to `out`. Throws Error when the source can't be
  /// read.
  virtual void read_rows(int64_t first, int64_t count, std::byte* out) const = 0;
  /// A number that is equal for equal data sources, so that a tied weight is stored once; 0:
  /// nothing known.
  virtual uint64_t identity() const { return 0; }
  /// The whole of it.
  Tensor load() const;

 protected:
  /// Throws Error when a quantised dtype has another shape than a matrix of whole blocks.
  Constant(DType dtype, Shape shape);

 private:
  DType dtype_;
  Shape shape_;
};
using ConstantPtr = std::shared_ptr<const Constant>;

/// A tensor in memory.
ConstantPtr constant_from_tensor(Tensor tensor);
/// Bytes that `owner` keeps alive (a mapped file, say).
ConstantPtr constant_from_bytes(DType dtype, Shape shape, std::span<const std::byte> bytes,
                                std::shared_ptr<const void> owner);
/// The matrix [rows, columns] read as [columns, rows]; not for quantised ones.
ConstantPtr transposed(ConstantPtr matrix);
/// Parts one after the other along axis 0; equal dtype and row size.
ConstantPtr concatenated(std::vector<ConstantPtr> parts);
/// Rows of `order` (indices into axis 0; -1 is a row of zeros) of a constant: slices, permutations,
/// interleavings.
ConstantPtr gathered_rows(ConstantPtr source, std::vector<int64_t> order);
/// Converted on the fly, rounding to nearest even. From a quantised dtype to a float; to one: see
/// quant/quantised.h.
ConstantPtr cast(ConstantPtr source, DType dtype);
/// Same data, other shape with as many elements and the same row size or any if it is read whole;
/// not for quantised ones.
ConstantPtr reshaped(ConstantPtr source, Shape shape);
/// Normal pseudo-random numbers of a deviation, by a fixed seed; any row is made without the
/// others.
ConstantPtr random_normal(DType dtype, Shape shape, uint64_t seed, float deviation);

}  // namespace legato::ir
