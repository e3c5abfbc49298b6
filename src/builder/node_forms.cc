#include "builder/node_forms.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "ir/op.h"
#include "ir/rules/slicing.h"

namespace legato::builder {
namespace {

bool is_activation(const ir::Graph& graph, ir::ValueId id) {
  return id != ir::kNone && graph.value(id).constant == nullptr;
}

/// Ops whose output has the bytes of input 0 in the same order.
bool keeps_bytes(std::string_view op) {
  constexpr std::string_view kOps[] = {"Reshape", "Unsqueeze", "Squeeze", "Flatten", "Identity"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

bool is_alias(const ir::Graph& graph, const ir::Node& node) {
  if (!keeps_bytes(node.op) || !is_activation(graph, node.input(0))) return false;
  const ir::ValueType& from = graph.value(node.input(0)).type;
  const ir::ValueType& to = graph.value(node.outputs[0]).type;
  return from.dtype == to.dtype && from.shape.elements() == to.shape.elements();
}

/// The columns that a Slice takes when it takes nothing else and all of it is known.
std::optional<ColumnView> sliced_columns(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != "Slice" || !is_activation(graph, node.input(0))) return std::nullopt;
  const SymShape& shape = graph.value(node.input(0)).type.shape;
  const int last = shape.rank() - 1;
  if (last < 1 || !shape[last].is_constant()) return std::nullopt;
  const ir::NodeView view{graph, node};
  const auto number = [&view](size_t input, const char* attribute) -> std::optional<int64_t> {
    const ir::ListParameter list = ir::list_parameter(view, input, attribute);
    if (!list.known || list.values.size() != 1 || !list.values[0].is_constant())
      return std::nullopt;
    return list.values[0].constant();
  };
  const auto start = number(1, "starts"), end = number(2, "ends"), axis = number(3, "axes");
  if (!start || !end || !axis || (*axis != last && *axis != -1)) return std::nullopt;
  if (ir::list_parameter(view, 4, "steps").present && number(4, "steps") != 1) return std::nullopt;
  const auto slice = ir::slice_axis(shape[last], *start, *end, 1);
  if (!slice || !slice->start.is_constant() || !slice->count.is_constant() ||
      slice->count.constant() < 1)
    return std::nullopt;
  return ColumnView{node.input(0), slice->start.constant(), slice->count.constant()};
}

}  // namespace

NodeForms::NodeForms(const ir::Graph& graph)
    : graph_(graph), forms_(graph.num_nodes(), Form::kStep), views_(graph.num_nodes()) {
  const std::vector<ir::NodeId> order = graph.order();
  for (const ir::NodeId id : order) {
    const ir::Node& node = graph.node(id);
    const auto index = static_cast<size_t>(id);
    if (is_alias(graph, node)) {
      forms_[index] = Form::kAlias;
    } else if (const auto columns = sliced_columns(graph, node)) {
      forms_[index] = Form::kView;
      views_[index] = *columns;
    }
  }
  // A view is no run of bytes: what has to be one is copied.
  for (const ir::NodeId id : order) {
    if (form(id) == Form::kView && !read_in_place(id))
      forms_[static_cast<size_t>(id)] = Form::kStep;
  }
}

bool NodeForms::read_in_place(ir::NodeId slice) const {
  const ir::ValueId output = graph_.node(slice).outputs[0];
  for (const ir::GraphOutput& port : graph_.outputs())
    if (port.value == output) return false;
  const std::vector<ir::NodeId> users = graph_.users(output);
  return std::none_of(users.begin(), users.end(),
                      [this](ir::NodeId user) { return form(user) == Form::kAlias; });
}

bool NodeForms::is_form(ir::ValueId value, Form expected) const {
  const ir::NodeId producer = graph_.value(value).producer;
  return producer != ir::kNone && form(producer) == expected;
}

ColumnView NodeForms::resolve(ir::ValueId value) const {
  ColumnView view{value, 0, -1};
  while (is_form(view.value, Form::kView)) {
    const ColumnView& outer = views_[static_cast<size_t>(graph_.value(view.value).producer)];
    if (view.columns == -1) view.columns = outer.columns;
    view.first_column += outer.first_column;
    view.value = outer.value;
  }
  return view;
}

ir::ValueId NodeForms::root(ir::ValueId value) const {
  while (is_form(value, Form::kAlias)) value = graph_.node(graph_.value(value).producer).input(0);
  return value;
}

}  // namespace legato::builder
