#include "runtime/extent.h"

#include <fmt/format.h>

namespace legato::runtime {
namespace {

/// 0 for a dimension with other names, which of() then finds to differ.
int64_t value_at(const Dim& dim, int64_t tokens, int64_t logit_rows) {
  const Result<int64_t> value = dim.evaluate({{"tokens", tokens}, {"logit_rows", logit_rows}});
  return value.ok() ? *value : 0;
}

}  // namespace

Result<Extent> Extent::of(const Dim& dim) {
  Extent extent;
  extent.constant_ = value_at(dim, 0, 0);
  extent.per_token_ = value_at(dim, 1, 0) - extent.constant_;
  extent.per_logit_row_ = value_at(dim, 0, 1) - extent.constant_;
  const Dim rebuilt = Dim(extent.constant_) + Dim::symbol("tokens") * Dim(extent.per_token_) +
                      Dim::symbol("logit_rows") * Dim(extent.per_logit_row_);
  if (rebuilt == dim) return extent;
  return fail(Code::kUnsupported, "",
              fmt::format("extent {}, expected a sum of multiples of tokens and logit_rows",
                          dim.to_string()));
}

}  // namespace legato::runtime
