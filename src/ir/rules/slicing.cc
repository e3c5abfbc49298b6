#include "ir/rules/slicing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

/// Exporters write any number from here on for "to the end".
constexpr int64_t kEndless = (int64_t{1} << 31) - 1;

SliceAxis constant_axis(int64_t extent, int64_t start, int64_t end, int64_t step) {
  const auto from_front = [extent](int64_t at) { return at < 0 ? at + extent : at; };
  if (step > 0) {
    const int64_t first = std::clamp(from_front(start), int64_t{0}, extent);
    const int64_t last = std::clamp(from_front(end), int64_t{0}, extent);
    return {first, last > first ? ceil_div(last - first, step) : 0, step};
  }
  const int64_t first = std::clamp(from_front(start), int64_t{-1}, extent - 1);
  const int64_t last = std::clamp(from_front(end), int64_t{-1}, extent - 1);
  return {std::max(first, int64_t{0}), first > last ? ceil_div(first - last, -step) : 0, step};
}

/// The bound counted from the front; nullopt for one that no axis reaches.
Dim symbolic_bound(const Dim& extent, const Dim& at) {
  if (!at.is_constant()) return at;
  if (at.constant() >= kEndless) return extent;
  if (at.constant() <= -kEndless) return Dim(0);
  return at.constant() < 0 ? extent + at : at;
}

}  // namespace

ListParameter list_parameter(const NodeView& view, size_t input, std::string_view attribute) {
  const bool is_attribute = view.node.attributes.has(attribute);
  if (view.has(input) && is_attribute)
    view.refuse(fmt::format("has {} and attribute \"{}\", expected one of them",
                            input_name(view, input), attribute));
  if (is_attribute) {
    const std::vector<int64_t> values = view.node.attributes.get_ints(attribute);
    if (values.size() > 4096)
      view.refuse(fmt::format("attribute \"{}\" has {} elements, expected at most 4096", attribute,
                              values.size()));
    return {true, true, std::vector<Dim>(values.begin(), values.end())};
  }
  if (!view.has(input)) return {};
  require_index(view, input);
  require_rank(view, input, 1);
  const std::vector<Dim>* known = view.known(input);
  return {true, known != nullptr, known != nullptr ? *known : std::vector<Dim>{}};
}

std::optional<SliceAxis> slice_axis(const Dim& extent, const Dim& start, const Dim& end,
                                    int64_t step) {
  const bool all_constant = extent.is_constant() && start.is_constant() && end.is_constant();
  if (all_constant) return constant_axis(extent.constant(), start.constant(), end.constant(), step);
  if (step != 1) return std::nullopt;
  const Dim first = symbolic_bound(extent, start);
  const Dim count = symbolic_bound(extent, end) - first;
  if (count.is_constant() && count.constant() < 0) return SliceAxis{first, 0, 1};
  return SliceAxis{first, count, 1};
}

}  // namespace legato::ir
