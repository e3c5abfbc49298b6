#include <fmt/format.h>

#include <set>

#include "ir/graph.h"
#include "ir/op.h"
#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

/// Every value that a node or output reads is an input, a constant, or made by a live node.
void check_defined(const Graph& graph, ValueId id, const std::string& reader) {
  if (id < 0 || static_cast<size_t>(id) >= graph.num_values())
    throw Error(Code::kInternal, reader, fmt::format("reads value {}, which does not exist", id));
  const Value& value = graph.value(id);
  const bool made = value.producer != kNone && graph.alive(value.producer);
  if (!made && !value.is_input && value.constant == nullptr)
    throw Error(Code::kInternal, reader,
                fmt::format("reads \"{}\", which nothing defines", value.name));
}

void check_node(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const NodeView view{graph, node};
  const std::string where = fmt::format("node \"{}\" ({})", node.name, node.op);
  const OpSchema* schema = ops().find(node.op);
  if (schema == nullptr) view.refuse("the op is unknown");
  for (const ValueId input : node.inputs)
    if (input != kNone) check_defined(graph, input, where);
  check_quantised(*schema, view);
  if (checked_attributes(*schema, view) != node.attributes)
    view.refuse("attributes lack their defaults");
  const std::vector<ValueType> types = schema->infer(view);
  if (types.size() != node.outputs.size())
    view.refuse(fmt::format("has {} outputs, expected {}", node.outputs.size(), types.size()));
  for (size_t i = 0; i < types.size(); ++i) {
    const Value& output = graph.value(node.outputs[i]);
    if (output.producer != id || output.output_index != static_cast<int32_t>(i))
      view.refuse(fmt::format("output \"{}\" names another producer", output.name));
    if (output.type != types[i])
      view.refuse(fmt::format("output \"{}\" is {}, inferred {}", output.name,
                              type_text(output.type), type_text(types[i])));
  }
}

}  // namespace

void verify(const Graph& graph) {
  std::set<std::string_view> node_names;
  std::set<std::string_view> value_names;
  for (const NodeId id : graph.order()) {
    check_node(graph, id);
    if (!node_names.insert(graph.node(id).name).second)
      throw Error(Code::kInternal, fmt::format("node \"{}\"", graph.node(id).name),
                  "has the name of another");
    for (const ValueId output : graph.node(id).outputs)
      if (!value_names.insert(graph.value(output).name).second)
        throw Error(Code::kInternal, fmt::format("value \"{}\"", graph.value(output).name),
                    "has the name of another");
  }
  if (graph.outputs().empty()) throw Error(Code::kMalformed, "graph", "has no output");
  for (const GraphOutput& output : graph.outputs())
    check_defined(graph, output.value, fmt::format("output \"{}\"", output.name));
}

}  // namespace legato::ir
