#include "kernels/cpu/problem.h"

#include <fmt/format.h>

namespace legato::kernels::cpu {

std::optional<Element> element_of(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return Element::kF32;
    case DType::kF16:
      return Element::kF16;
    case DType::kBF16:
      return Element::kBF16;
    default:
      return std::nullopt;
  }
}

Status refuse(const Problem& problem, std::string reason) {
  return fail(Code::kUnsupported, problem.op, std::move(reason));
}

Status check_float_input(const Problem& problem, size_t index, std::string_view name,
                         std::optional<int64_t> columns) {
  if (!problem.has_input(index)) return {};
  const OperandSpec& spec = problem.inputs[index];
  if (spec.dtype != DType::kF32)
    return refuse(problem, fmt::format("{} is {}, expected f32", name, dtype_name(spec.dtype)));
  const std::optional<int64_t> extent = known_extent(spec.shape, -1);
  if (!extent)
    return refuse(problem, fmt::format("{} has shape {}, expected a known last extent", name,
                                       spec.shape.to_string()));
  if (columns && *extent != *columns)
    return refuse(problem, fmt::format("{} has {} columns, expected {}", name, *extent, *columns));
  return {};
}

Status check_weight(const Problem& problem, size_t index, std::string_view name) {
  if (!problem.has_input(index)) return refuse(problem, fmt::format("{} is missing", name));
  const OperandSpec& spec = problem.inputs[index];
  if (!spec.constant) return refuse(problem, fmt::format("{} is not a constant", name));
  if (!element_of(spec.dtype) && !is_quantised(spec.dtype))
    return refuse(problem, fmt::format("{} is {}, expected f32, f16, bf16 or a quantised type",
                                       name, dtype_name(spec.dtype)));
  if (spec.shape.rank() != 2 || !spec.shape.is_static())
    return refuse(problem, fmt::format("{} has shape {}, expected a matrix of known extents", name,
                                       spec.shape.to_string()));
  if (spec.shape[0].constant() < 1 || spec.shape[1].constant() < 1)
    return refuse(problem, fmt::format("{} is empty", name));
  if (!dtype_row_bytes(spec.dtype, spec.shape[1].constant()))
    return refuse(problem, fmt::format("{} has {} columns, expected whole blocks of {}", name,
                                       spec.shape[1].constant(), dtype_name(spec.dtype)));
  return {};
}

Status check_index_input(const Problem& problem, size_t index, std::string_view name) {
  if (!problem.has_input(index)) return refuse(problem, fmt::format("{} is missing", name));
  const OperandSpec& spec = problem.inputs[index];
  if (spec.dtype != DType::kI32 && spec.dtype != DType::kI64)
    return refuse(problem,
                  fmt::format("{} is {}, expected i32 or i64", name, dtype_name(spec.dtype)));
  if (spec.shape.rank() != 1 || !RowCount::of(SymShape{spec.shape[0], 1}))
    return refuse(problem, fmt::format("{} has shape {}, expected [tokens] or [logit_rows]", name,
                                       spec.shape.to_string()));
  return {};
}

Status check_float_output(const Problem& problem) {
  if (problem.outputs.size() != 1 || problem.outputs[0].dtype != DType::kF32)
    return refuse(problem, "the output is not one f32 tensor");
  return {};
}

std::optional<int64_t> known_extent(const SymShape& shape, int axis) {
  const int at = axis < 0 ? shape.rank() + axis : axis;
  if (at < 0 || at >= shape.rank() || !shape[at].is_constant()) return std::nullopt;
  return shape[at].constant();
}

std::optional<RowCount> RowCount::of(const SymShape& shape) {
  Dim rows = 1;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) rows = rows * shape[axis];
  if (!rows.evaluate({{"tokens", 1}, {"logit_rows", 1}}).ok()) return std::nullopt;
  return RowCount(std::move(rows));
}

int64_t RowCount::rows(int64_t tokens, int64_t logit_rows) const {
  const Result<int64_t> rows = rows_.evaluate({{"tokens", tokens}, {"logit_rows", logit_rows}});
  return rows.ok() ? rows.value() : 0;
}

}  // namespace legato::kernels::cpu
