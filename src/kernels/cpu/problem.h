#pragma once

#include <optional>
#include <string_view>

#include "kernels/cpu/level/types.h"
#include "kernels/tactic.h"

/// What the CPU tactics ask of a problem before they accept it.
namespace legato::kernels::cpu {

/// f32, f16 and bf16 only.
std::optional<Element> element_of(DType dtype);

/// The refusal of a tactic: kUnsupported with the op's name.
Status refuse(const Problem& problem, std::string reason);

/// Ok when input `index` is absent or of that type (and, when given, a vector or row of `columns`
/// columns).
Status check_float_input(const Problem& problem, size_t index, std::string_view name,
                         std::optional<int64_t> columns = std::nullopt);
/// Ok when input `index` is a constant matrix of f32, f16, bf16 or a quantised type with known
/// extents.
Status check_weight(const Problem& problem, size_t index, std::string_view name);
/// Ok when input `index` is a vector of i32 or i64.
Status check_index_input(const Problem& problem, size_t index, std::string_view name);
/// Ok when the output is f32.
Status check_float_output(const Problem& problem);

/// Extent `axis` (from the back when negative) of a shape, if it is a number.
std::optional<int64_t> known_extent(const SymShape& shape, int axis);

/// Rows of an operand (all axes but the last) as a function of the step: sums and products of the
/// extents "tokens" and "logit_rows". nullopt for shapes with other symbols.
class RowCount {
 public:
  static std::optional<RowCount> of(const SymShape& shape);
  int64_t rows(int64_t tokens, int64_t logit_rows) const;
  int64_t most(const Limits& limits) const {
    return rows(limits.max_tokens, limits.max_logit_rows);
  }

 private:
  explicit RowCount(Dim rows) : rows_(std::move(rows)) {}
  Dim rows_;
};

}  // namespace legato::kernels::cpu
