#include "quant/quantised.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "base/status.h"
#include "ir/constant_block.h"
#include "quant/w4_row.h"
#include "quant/w8_row.h"
#include "tensor/half.h"
#include "tensor/quant_format.h"

namespace legato::quant {
namespace {

class QuantisedConstant : public ir::Constant {
 public:
  QuantisedConstant(ir::ConstantPtr source, DType dtype, std::string name)
      : Constant(dtype, source->shape()),
        source_(ir::cast(std::move(source), DType::kF32)),
        name_(std::move(name)) {}

  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    int64_t index = first;
    ir::read_in_chunks(*source_, first, count, [&](const std::byte* rows, int64_t num_rows) {
      const auto* row = reinterpret_cast<const float*>(rows);
      for (int64_t i = 0; i < num_rows; ++i, row += row_elements(), out += row_bytes())
        quantise(row, index++, out);
    });
  }

  uint64_t identity() const override {
    const int64_t to = static_cast<int64_t>(dtype());
    return ir::derived_identity("quantised", std::span(&source_, 1), std::span(&to, 1));
  }

 private:
  void quantise(const float* row, int64_t index, std::byte* out) const {
    check_finite(row, index);
    if (dtype() == DType::kW8) {
      quantise_w8_row(row, row_elements(), out);
    } else {
      quantise_w4_row(row, row_elements(), out);
    }
  }

  /// Minima of w4 are f16: a number beyond its range has none.
  void check_finite(const float* row, int64_t index) const {
    const float limit = dtype() == DType::kW4 ? kLargestF16 : FLT_MAX;
    float largest = 0;
    bool all_numbers = true;
    for (int64_t i = 0; i < row_elements(); ++i) {
      largest = std::max(largest, std::fabs(row[i]));
      all_numbers = all_numbers && row[i] == row[i];
    }
    if (all_numbers && largest <= limit) return;
    throw Error(Code::kUnsupported, name_,
                fmt::format("row {} holds {}, expected numbers up to {} to quantise to {}", index,
                            all_numbers ? fmt::format("{}", largest) : "a NaN", limit,
                            dtype_name(dtype())));
  }

  ir::ConstantPtr source_;  ///< as f32
  std::string name_;
};

/// The same blocks under the name of another format.
class RenamedConstant : public ir::Constant {
 public:
  RenamedConstant(ir::ConstantPtr source, DType dtype)
      : Constant(dtype, source->shape()), source_(std::move(source)) {}
  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    source_->read_rows(first, count, out);
  }
  uint64_t identity() const override {
    const int64_t to = static_cast<int64_t>(dtype());
    return ir::derived_identity("renamed", std::span(&source_, 1), std::span(&to, 1));
  }

 private:
  ir::ConstantPtr source_;
};

}  // namespace

ir::ConstantPtr quantised(ir::ConstantPtr source, DType dtype, std::string name) {
  if (source->dtype() == dtype) return source;
  if (dtype != DType::kW8 && dtype != DType::kW4)
    throw Error(Code::kInvalidArgument, name,
                fmt::format("cannot be quantised to {}, expected w8 or w4", dtype_name(dtype)));
  const Shape& shape = source->shape();
  const int64_t block = quant_format(dtype).block_elements;
  if (shape.rank() != 2)
    throw Error(Code::kUnsupported, name,
                fmt::format("is {}, expected a matrix to quantise to {}", shape.to_string(),
                            dtype_name(dtype)));
  if (shape[1] % block != 0)
    throw Error(Code::kUnsupported, name,
                fmt::format("has {} columns, expected a multiple of {}, the block of {}", shape[1],
                            block, dtype_name(dtype)));
  if (dtype == DType::kW4 && source->dtype() == DType::kQ4_1)
    return std::make_shared<RenamedConstant>(std::move(source), dtype);
  return std::make_shared<QuantisedConstant>(std::move(source), dtype, std::move(name));
}

}  // namespace legato::quant
