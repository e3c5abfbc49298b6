#include <fmt/format.h>

#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"
#include "ir/rules/slicing.h"

namespace legato::ir {
namespace {

struct Parameters {
  ListParameter starts, ends, axes, steps;

  explicit Parameters(const NodeView& view)
      : starts(list_parameter(view, 1, "starts")),
        ends(list_parameter(view, 2, "ends")),
        axes(list_parameter(view, 3, "axes")),
        steps(list_parameter(view, 4, "steps")) {}
};

/// The axes that are sliced, normalised; all leading ones when none are given.
std::vector<int> sliced_axes(const NodeView& view, const Parameters& parameters) {
  const int rank = view.type(0).shape.rank();
  std::vector<int> axes;
  if (parameters.axes.present && !parameters.axes.known)
    view.refuse("the axes are not known at compile time");
  if (parameters.axes.present) {
    for (const Dim& axis : parameters.axes.values) {
      if (!axis.is_constant()) view.refuse("the axes are not known at compile time");
      axes.push_back(normalised_axis(view, axis.constant(), rank));
    }
  } else {
    const ListParameter& starts = parameters.starts;
    if (!starts.known) view.refuse("has neither axes nor known starts");
    for (size_t i = 0; i < starts.values.size(); ++i)
      axes.push_back(normalised_axis(view, static_cast<int64_t>(i), rank));
  }
  return axes;
}

void check_length(const NodeView& view, const ListParameter& list, std::string_view what,
                  size_t length) {
  if (list.known && list.values.size() != length)
    view.refuse(fmt::format("has {} {} for {} axes", list.values.size(), what, length));
}

std::vector<ValueType> infer(const NodeView& view) {
  const Parameters parameters(view);
  if (!parameters.starts.present || !parameters.ends.present)
    view.refuse("starts or ends are missing");
  SymShape result = view.type(0).shape;
  const std::vector<int> axes = sliced_axes(view, parameters);
  check_length(view, parameters.starts, "starts", axes.size());
  check_length(view, parameters.ends, "ends", axes.size());
  check_length(view, parameters.steps, "steps", axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool known = parameters.starts.known && parameters.ends.known &&
                       (!parameters.steps.present ||
                        (parameters.steps.known && parameters.steps.values[i].is_constant()));
    const int64_t step =
        known && parameters.steps.present ? parameters.steps.values[i].constant() : 1;
    if (step == 0) view.refuse("a step is 0");
    Dim& extent = result.dims[static_cast<size_t>(axes[i])];
    const auto axis =
        known ? slice_axis(extent, parameters.starts.values[i], parameters.ends.values[i], step)
              : std::nullopt;
    extent = axis ? axis->count : fresh_dim(view, axes[i]);
  }
  return {{view.type(0).dtype, result}};
}

std::optional<std::vector<Dim>> known(const NodeView& view) {
  const std::vector<Dim>* data = view.known(0);
  const Parameters parameters(view);
  if (data == nullptr || view.type(0).shape.rank() != 1 || !parameters.starts.known ||
      !parameters.ends.known || (parameters.steps.present && !parameters.steps.known) ||
      parameters.starts.values.size() != 1)
    return std::nullopt;
  const Dim step = parameters.steps.present ? parameters.steps.values[0] : Dim(1);
  if (!step.is_constant()) return std::nullopt;
  const auto axis = slice_axis(static_cast<int64_t>(data->size()), parameters.starts.values[0],
                               parameters.ends.values[0], step.constant());
  if (!axis || !axis->start.is_constant() || !axis->count.is_constant()) return std::nullopt;
  std::vector<Dim> result;
  for (int64_t i = 0; i < axis->count.constant(); ++i)
    result.push_back((*data)[static_cast<size_t>(axis->start.constant() + i * axis->step)]);
  return result;
}

SequenceBehaviour behaviour(const NodeView& view, int axis) {
  for (const int sliced : sliced_axes(view, Parameters(view)))
    if (sliced == axis) return SequenceBehaviour::kShift;
  return SequenceBehaviour::kTokenLocal;
}

}  // namespace

void register_slice(OpRegistry& registry) {
  registry.add(
      {.name = "Slice",
       .doc =
           "data [..] -> every step-th element of [start, end) of each given axis; negative "
           "bounds count from the end, bounds are clamped to the axis (ONNX Slice). Each list is "
           "an attribute where it is constant and an input where it is computed",
       .min_inputs = 1,
       .max_inputs = 5,
       .input_names = {"data", "starts", "ends", "axes", "steps"},
       .attributes = {optional("starts", AttributeType::kInts, "first element an axis"),
                      optional("ends", AttributeType::kInts, "end an axis, exclusive"),
                      optional("axes", AttributeType::kInts, "absent: the leading ones"),
                      optional("steps", AttributeType::kInts, "absent: 1")},
       .infer = infer,
       .behaviour = behaviour,
       .known = known});
}

}  // namespace legato::ir
