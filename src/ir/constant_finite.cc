#include "ir/constant_finite.h"

#include <fmt/format.h>

#include <cmath>

#include "base/status.h"
#include "tensor/finite.h"

namespace legato::ir {
namespace {

class FiniteConstant : public Constant {
 public:
  FiniteConstant(ConstantPtr source, std::string where, std::string what)
      : Constant(source->dtype(), source->shape()),
        source_(std::move(source)),
        where_(std::move(where)),
        what_(std::move(what)) {}

  void read_rows(int64_t first, int64_t count, std::byte* out) const override {
    source_->read_rows(first, count, out);
    if (count == 0 || row_elements() == 0) return;
    const auto found = find_not_finite(dtype(), out, count, row_elements());
    if (!found) return;
    const std::string value = std::isnan(found->value) ? "a NaN" : fmt::format("{}", found->value);
    throw Error(Code::kMalformed, where_,
                fmt::format("{} has {} at row {}, column {}, expected finite numbers", what_, value,
                            first + found->row, found->column));
  }
  uint64_t identity() const override { return source_->identity(); }

 private:
  ConstantPtr source_;
  std::string where_, what_;
};

}  // namespace

ConstantPtr checked_finite(ConstantPtr source, std::string where, std::string what) {
  return std::make_shared<FiniteConstant>(std::move(source), std::move(where), std::move(what));
}

}  // namespace legato::ir
