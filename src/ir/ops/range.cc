#include <fmt/format.h>

#include <cmath>

#include "base/checked.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

/// The number in a constant scalar of any dtype.
std::optional<double> number(const NodeView& view, size_t input) {
  const ConstantPtr& constant = view.constant(input);
  if (!constant) return std::nullopt;
  const Tensor tensor = constant->load();
  return load_element(tensor.dtype(), tensor.raw().data(), 0);
}

/// ceil((limit - start) / delta), where that can be told.
std::optional<Dim> count(const NodeView& view) {
  const std::vector<Dim>* start = view.known(0);
  const std::vector<Dim>* limit = view.known(1);
  const std::vector<Dim>* delta = view.known(2);
  if (start != nullptr && limit != nullptr && delta != nullptr) {
    const Dim length = limit->front() - start->front();
    if (!length.is_constant())
      return delta->front() == Dim(1) ? std::optional(length) : std::nullopt;
    if (!delta->front().is_constant()) return std::nullopt;
    const int64_t step = delta->front().constant();
    if (step == 0) view.refuse("delta is 0");
    const int64_t span = step > 0 ? length.constant() : -length.constant();
    const int64_t size = step > 0 ? step : -step;
    return Dim(span <= 0 ? 0 : (span - 1) / size + 1);
  }
  const auto first = number(view, 0);
  const auto last = number(view, 1);
  const auto step = number(view, 2);
  if (!first || !last || !step) return std::nullopt;
  const double size = std::ceil((*last - *first) / *step);
  if (!(size < 9e15)) view.refuse("has no finite number of elements");
  return Dim(size > 0 ? static_cast<int64_t>(size) : 0);
}

std::vector<ValueType> infer(const NodeView& view) {
  for (const size_t input : {0, 1, 2}) {
    require_shape(view, input, {});
    require_dtype(view, input, view.type(0).dtype);
  }
  const auto length = count(view);
  return {{view.type(0).dtype, {length ? *length : fresh_dim(view, 0)}}};
}

std::optional<std::vector<Dim>> known(const NodeView& view) {
  const std::vector<Dim>* start = view.known(0);
  const std::vector<Dim>* delta = view.known(2);
  const auto length = count(view);
  if (start == nullptr || delta == nullptr || !length || !length->is_constant() ||
      length->constant() > 64)
    return std::nullopt;
  std::vector<Dim> result;
  for (int64_t i = 0; i < length->constant(); ++i)
    result.push_back(start->front() + delta->front() * Dim(i));
  return result;
}

}  // namespace

void register_range(OpRegistry& registry) {
  registry.add({.name = "Range",
                .doc =
                    "start [], limit [], delta [] -> start, start + delta ... below limit (above "
                    "it where delta < 0) (ONNX Range)",
                .min_inputs = 3,
                .max_inputs = 3,
                .input_names = {"start", "limit", "delta"},
                .infer = infer,
                .behaviour = opaque,
                .known = known});
}

}  // namespace legato::ir
