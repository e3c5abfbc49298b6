#include <algorithm>
#include <vector>

#include "base/status.h"
#include "ir/constant.h"
#include "ir/constant_block.h"

namespace legato::ir {
namespace {

/// Edge of the square tiles that are turned at a time: source and target lines of one stay in L1.
constexpr int64_t kTile = 32;

/// out[c * out_stride + r] = in[r * columns + c].
template <typename T>
void turn(const T* in, int64_t rows, int64_t columns, T* out, int64_t out_stride) {
  for (int64_t row = 0; row < rows; row += kTile) {
    const int64_t row_end = std::min(row + kTile, rows);
    for (int64_t column = 0; column < columns; column += kTile) {
      const int64_t column_end = std::min(column + kTile, columns);
      for (int64_t c = column; c < column_end; ++c)
        for (int64_t r = row; r < row_end; ++r) out[c * out_stride + r] = in[r * columns + c];
    }
  }
}

template <typename T>
void turn_bytes(const std::byte* in, int64_t rows, int64_t columns, std::byte* out,
                int64_t out_stride) {
  turn(reinterpret_cast<const T*>(in), rows, columns, reinterpret_cast<T*>(out), out_stride);
}

class TransposedConstant : public Constant {
 public:
  explicit TransposedConstant(ConstantPtr matrix)
      : Constant(matrix->dtype(), Shape{matrix->shape()[1], matrix->shape()[0]}),
        matrix_(std::move(matrix)),
        blocks_(dynamic_cast<const BlockConstant*>(matrix_.get())) {}

  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    const size_t element = dtype_bytes(dtype());
    const int64_t source_columns = matrix_->row_elements();
    // Sources without block access are read in whole rows, and only the columns asked for are kept.
    const Block wanted =
        blocks_ != nullptr ? Block{0, 0, first, count} : Block{0, 0, 0, source_columns};
    const int64_t height = rows_of_chunk(static_cast<size_t>(wanted.columns) * element);
    std::vector<std::byte> chunk(static_cast<size_t>(std::min(height, matrix_->rows())) *
                                 static_cast<size_t>(wanted.columns) * element);
    for (int64_t row = 0; row < matrix_->rows(); row += height) {
      Block block = wanted;
      block.first_row = row;
      block.rows = std::min(height, matrix_->rows() - row);
      if (blocks_ != nullptr) {
        blocks_->read_block(block, chunk.data());
      } else {
        matrix_->read_rows(row, block.rows, chunk.data());
        keep_columns(chunk.data(), block.rows, first, count);
      }
      turn_any(chunk.data(), block.rows, count, out + static_cast<size_t>(row) * element);
    }
  }
  uint64_t identity() const override {
    return derived_identity("transposed", std::span(&matrix_, 1), {});
  }

 private:
  /// Moves columns [first, first + count) of dense full rows to the front, densely.
  void keep_columns(std::byte* data, int64_t num_rows, int64_t first, int64_t count) const {
    const size_t element = dtype_bytes(dtype());
    const size_t width = static_cast<size_t>(count) * element;
    for (int64_t row = 0; row < num_rows; ++row) {
      const std::byte* from = data + static_cast<size_t>(row) * matrix_->row_bytes() +
                              static_cast<size_t>(first) * element;
      std::copy(from, from + width, data + static_cast<size_t>(row) * width);
    }
  }

  void turn_any(const std::byte* in, int64_t num_rows, int64_t columns, std::byte* out) const {
    const int64_t stride = row_elements();
    switch (dtype_bytes(dtype())) {
      case 1:
        return turn_bytes<uint8_t>(in, num_rows, columns, out, stride);
      case 2:
        return turn_bytes<uint16_t>(in, num_rows, columns, out, stride);
      case 4:
        return turn_bytes<uint32_t>(in, num_rows, columns, out, stride);
      default:
        return turn_bytes<uint64_t>(in, num_rows, columns, out, stride);
    }
  }

  ConstantPtr matrix_;
  const BlockConstant* blocks_;
};

}  // namespace

ConstantPtr transposed(ConstantPtr matrix) {
  if (matrix->shape().rank() != 2)
    throw Error(Code::kInvalidArgument, "transposed constant",
                "expected a matrix, found " + matrix->shape().to_string());
  if (is_quantised(matrix->dtype()))
    throw Error(Code::kUnsupported, "transposed constant",
                "is " + std::string(dtype_name(matrix->dtype())) +
                    ", expected numbers that are not quantised");
  return std::make_shared<TransposedConstant>(std::move(matrix));
}

}  // namespace legato::ir
