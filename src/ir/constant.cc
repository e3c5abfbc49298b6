#include "ir/constant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "base/hash.h"
#include "base/status.h"
#include "ir/constant_block.h"
#include "tensor/quant_format.h"

namespace legato::ir {
namespace {

class BytesConstant : public BlockConstant {
 public:
  BytesConstant(DType dtype, Shape shape, std::span<const std::byte> bytes,
                std::shared_ptr<const void> owner)
      : BlockConstant(dtype, shape), bytes_(bytes), owner_(std::move(owner)) {
    LEGATO_CHECK(bytes.size() == row_bytes() * static_cast<size_t>(rows()));
  }

  void read_block(const Block& block, std::byte* out) const override {
    const std::byte* from = bytes_.data() + static_cast<size_t>(block.first_row) * row_bytes();
    if (block.rows == 0 || block.columns == 0) return;
    if (block.columns == row_elements()) {
      std::memcpy(out, from, row_bytes() * static_cast<size_t>(block.rows));
      return;
    }
    const size_t element = dtype_bytes(dtype());
    const size_t width = static_cast<size_t>(block.columns) * element;
    from += static_cast<size_t>(block.first_column) * element;
    for (int64_t row = 0; row < block.rows; ++row, out += width, from += row_bytes())
      std::memcpy(out, from, width);
  }

  /// The same address is the same data, as long as somebody holds the owner.
  uint64_t identity() const override {
    const int64_t numbers[] = {static_cast<int64_t>(reinterpret_cast<uintptr_t>(bytes_.data())),
                               static_cast<int64_t>(dtype()), rows(), row_elements()};
    return derived_identity("bytes", {}, numbers);
  }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

class ConcatenatedConstant : public Constant {
 public:
  ConcatenatedConstant(Shape shape, std::vector<ConstantPtr> parts)
      : Constant(parts.front()->dtype(), shape), parts_(std::move(parts)) {}

  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    int64_t start = 0;
    for (const ConstantPtr& part : parts_) {
      const int64_t from = std::max(first, start);
      const int64_t to = std::min(first + count, start + part->rows());
      if (from < to) {
        part->read_rows(from - start, to - from, out);
        out += static_cast<size_t>(to - from) * row_bytes();
      }
      start += part->rows();
    }
  }
  uint64_t identity() const override { return derived_identity("concatenated", parts_, {}); }

 private:
  std::vector<ConstantPtr> parts_;
};

class GatheredConstant : public Constant {
 public:
  GatheredConstant(ConstantPtr source, Shape shape, std::vector<int64_t> order)
      : Constant(source->dtype(), shape), source_(std::move(source)), order_(std::move(order)) {}

  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    const size_t end = static_cast<size_t>(first + count);
    for (size_t i = static_cast<size_t>(first); i < end;) {
      const size_t run = run_length(i, end);
      const size_t bytes = run * row_bytes();
      if (order_[i] < 0) {
        if (bytes != 0) std::memset(out, 0, bytes);
      } else {
        source_->read_rows(order_[i], static_cast<int64_t>(run), out);
      }
      out += bytes;
      i += run;
    }
  }
  uint64_t identity() const override {
    return derived_identity("gathered", std::span(&source_, 1), order_);
  }

 private:
  /// Rows from `begin` on that lie side by side in the source, or are zero, and are read as one.
  size_t run_length(size_t begin, size_t end) const {
    const bool zero = order_[begin] < 0;
    size_t i = begin + 1;
    while (i < end && (zero ? order_[i] < 0 : order_[i] == order_[i - 1] + 1)) ++i;
    return i - begin;
  }

  ConstantPtr source_;
  std::vector<int64_t> order_;
};

class ReshapedConstant : public Constant {
 public:
  ReshapedConstant(ConstantPtr source, Shape shape)
      : Constant(source->dtype(), shape), source_(std::move(source)) {}

  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    const size_t source_row = source_->row_bytes();
    if (source_row == row_bytes()) {
      source_->read_rows(first, count, out);
      return;
    }
    size_t begin = static_cast<size_t>(first) * row_bytes();
    const size_t end = begin + static_cast<size_t>(count) * row_bytes();
    std::vector<std::byte> partial;
    while (begin < end) {
      const size_t row = begin / source_row, skip = begin % source_row;
      size_t taken = (end - begin) / source_row * source_row;
      if (skip == 0 && taken != 0) {
        source_->read_rows(static_cast<int64_t>(row), static_cast<int64_t>(taken / source_row),
                           out);
      } else {
        partial.resize(source_row);
        source_->read_rows(static_cast<int64_t>(row), 1, partial.data());
        taken = std::min(source_row - skip, end - begin);
        std::memcpy(out, partial.data() + skip, taken);
      }
      out += taken;
      begin += taken;
    }
  }
  uint64_t identity() const override {
    return derived_identity("reshaped", std::span(&source_, 1), shape().dims());
  }

 private:
  ConstantPtr source_;
};

}  // namespace

uint64_t derived_identity(std::string_view kind, std::span<const ConstantPtr> sources,
                          std::span<const int64_t> numbers) {
  Hasher hasher;
  hasher.update(std::as_bytes(std::span(kind)));
  for (const ConstantPtr& source : sources) {
    const uint64_t identity = source->identity();
    if (identity == 0) return 0;
    hasher.update(std::as_bytes(std::span(&identity, 1)));
  }
  hasher.update(std::as_bytes(numbers));
  const uint64_t digest = hasher.digest();
  return digest == 0 ? 1 : digest;
}

int64_t rows_of_chunk(size_t row_bytes) {
  if (row_bytes == 0) return 1;
  return std::max<int64_t>(1, static_cast<int64_t>(kConstantChunkBytes / row_bytes));
}

void read_in_chunks(const Constant& source, int64_t first, int64_t count,
                    const std::function<void(const std::byte* rows, int64_t num_rows)>& take) {
  const int64_t height = std::min(rows_of_chunk(source.row_bytes()), count);
  std::vector<std::byte> chunk(static_cast<size_t>(height) * source.row_bytes());
  for (int64_t row = 0; row < count; row += height) {
    const int64_t num_rows = std::min(height, count - row);
    source.read_rows(first + row, num_rows, chunk.data());
    take(chunk.data(), num_rows);
  }
}

Constant::Constant(DType dtype, Shape shape) : dtype_(dtype), shape_(shape) {
  if (is_quantised(dtype) && !is_quantised_matrix(dtype, shape))
    throw Error(Code::kUnsupported, fmt::format("constant of {}", dtype_name(dtype)),
                fmt::format("is {}, expected a matrix whose columns are a multiple of {}",
                            shape.to_string(), quant_format(dtype).block_elements));
}

Tensor Constant::load() const {
  Tensor tensor(dtype_, shape_);
  if (tensor.bytes() != 0) read_rows(0, rows(), tensor.raw().data());
  return tensor;
}

ConstantPtr constant_from_tensor(Tensor tensor) {
  const auto held = std::make_shared<const Tensor>(std::move(tensor));
  return constant_from_bytes(held->dtype(), held->shape(), held->raw(), held);
}

ConstantPtr constant_from_bytes(DType dtype, Shape shape, std::span<const std::byte> bytes,
                                std::shared_ptr<const void> owner) {
  return std::make_shared<BytesConstant>(dtype, shape, bytes, std::move(owner));
}

ConstantPtr concatenated(std::vector<ConstantPtr> parts) {
  LEGATO_CHECK(!parts.empty());
  if (parts.size() == 1) return parts.front();
  Shape shape = parts.front()->shape();
  if (shape.rank() == 0)
    throw Error(Code::kInvalidArgument, "concatenated constant", "a scalar has no axis 0");
  shape[0] = 0;
  for (const ConstantPtr& part : parts) {
    Shape expected = shape;
    if (part->shape().rank() > 0) expected[0] = part->shape()[0];
    if (!(part->shape() == expected) || part->dtype() != parts.front()->dtype())
      throw Error(Code::kInvalidArgument, "concatenated constant",
                  fmt::format("parts differ: {} {} and {} {}", dtype_name(parts.front()->dtype()),
                              parts.front()->shape().to_string(), dtype_name(part->dtype()),
                              part->shape().to_string()));
    shape[0] += part->rows();
  }
  return std::make_shared<ConcatenatedConstant>(shape, std::move(parts));
}

ConstantPtr gathered_rows(ConstantPtr source, std::vector<int64_t> order) {
  Shape shape = source->shape();
  if (shape.rank() == 0)
    throw Error(Code::kInvalidArgument, "gathered constant", "a scalar has no rows");
  for (const int64_t row : order) {
    if (row < -1 || row >= source->rows())
      throw Error(Code::kInvalidArgument, "gathered constant",
                  fmt::format("row {} of a constant with {} rows", row, source->rows()));
  }
  shape[0] = static_cast<int64_t>(order.size());
  return std::make_shared<GatheredConstant>(std::move(source), shape, std::move(order));
}

ConstantPtr reshaped(ConstantPtr source, Shape shape) {
  if (source->shape() == shape) return source;
  if (is_quantised(source->dtype()))
    throw Error(
        Code::kUnsupported, "reshaped constant",
        fmt::format("is {}, expected numbers that are not quantised", dtype_name(source->dtype())));
  if (source->shape().elements() != shape.elements())
    throw Error(Code::kInvalidArgument, "reshaped constant",
                fmt::format("{} elements of {} don't make {}", source->shape().elements(),
                            source->shape().to_string(), shape.to_string()));
  return std::make_shared<ReshapedConstant>(std::move(source), shape);
}

}  // namespace legato::ir
