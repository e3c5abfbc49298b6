#pragma once

#include <algorithm>

#include "device/cpu/team.h"
#include "kernels/cpu/problem.h"

/// Base of the kernels that treat rows one by one.
namespace legato::kernels::cpu {

class RowKernel : public Kernel {
 public:
  /// `row_bytes` are read and written a row, `row_operations` computed.
  RowKernel(RowCount rows, double row_bytes, double row_operations)
      : rows_(std::move(rows)), row_bytes_(row_bytes), row_operations_(row_operations) {}

  size_t workspace_bytes(const Limits&) const override { return 0; }
  Cost cost(const StepSize& size) const override {
    const auto rows = static_cast<double>(rows_.rows(size.tokens, size.logit_rows));
    return {rows * row_bytes_, rows * row_operations_};
  }

 private:
  RowCount rows_;
  double row_bytes_;
  double row_operations_;
};

/// Calls body(row) for each row, shared among the team in runs of about 16 Ki floats.
template <typename Body>
void for_rows(TeamMember& member, int64_t rows, int64_t columns, Body&& body) {
  const int64_t step = std::clamp<int64_t>((16 << 10) / std::max<int64_t>(1, columns), 1, 64);
  member.for_chunks((rows + step - 1) / step, [&](int64_t chunk) {
    const int64_t end = std::min(rows, (chunk + 1) * step);
    for (int64_t row = chunk * step; row < end; ++row) body(row);
  });
}

inline const float* row_of(const Operand& operand, int64_t row) {
  return operand.as<const float>() + row * operand.row_stride;
}
inline float* output_row(const Operand& operand, int64_t row) {
  return operand.as<float>() + row * operand.row_stride;
}

/// Element `index` of an i32 or i64 vector.
inline int64_t index_at(const Operand& operand, int64_t index) {
  return operand.dtype == DType::kI64 ? operand.as<const int64_t>()[index]
                                      : operand.as<const int32_t>()[index];
}

}  // namespace legato::kernels::cpu
