#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/graph.h"
#include "ir/op.h"
#include "ir/rules/operands.h"
#include "ir/text_literal.h"

namespace legato::ir {
namespace {

std::string value_text(const Graph& graph, ValueId id) {
  if (id == kNone) return "none";
  const std::string& name = graph.value(id).name;
  return "%" + (is_plain_name(name) ? name : quoted(name));
}

std::string typed_text(const Graph& graph, ValueId id) {
  return fmt::format("{}: {}", value_text(graph, id), type_text(graph.value(id).type));
}

/// Attributes that differ from their defaults.
std::string attributes_text(const Node& node) {
  const OpSchema* schema = ops().find(node.op);
  std::vector<std::string> texts;
  for (const auto& [name, value] : node.attributes.values()) {
    bool is_default = false;
    if (schema != nullptr)
      for (const AttributeSpec& spec : schema->attributes)
        is_default = is_default || (spec.name == name && spec.otherwise == value);
    if (!is_default) texts.push_back(fmt::format("{}={}", name, attribute_text(value)));
  }
  return texts.empty() ? "" : fmt::format(" {{{}}}", fmt::join(texts, ", "));
}

std::string node_text(const Graph& graph, const Node& node) {
  std::vector<std::string> outputs;
  for (const ValueId id : node.outputs) outputs.push_back(typed_text(graph, id));
  std::vector<std::string> inputs;
  for (const ValueId id : node.inputs) inputs.push_back(value_text(graph, id));
  const bool named_by_output = graph.value(node.outputs[0]).name == node.name;
  return fmt::format("  {} = {}({}){}{}\n", fmt::join(outputs, ", "), node.op,
                     fmt::join(inputs, ", "), attributes_text(node),
                     named_by_output ? "" : " " + quoted(node.name));
}

std::string constant_text(const Graph& graph, ValueId id) {
  const Constant& constant = *graph.value(id).constant;
  const bool small = !is_quantised(constant.dtype()) &&
                     constant.shape().elements() <= kMaxPrintedElements &&
                     (constant.shape().rank() <= 1 || !is_float(constant.dtype()));
  return fmt::format("  constant {}{}\n", typed_text(graph, id),
                     small ? " = " + elements_text(constant.load()) : "");
}

/// Constants that a node or an output reads, in order of their ids.
std::vector<ValueId> used_constants(const Graph& graph) {
  std::vector<bool> used(graph.num_values(), false);
  for (size_t id = 0; id < graph.num_values(); ++id)
    used[id] = !graph.users(static_cast<ValueId>(id)).empty();
  for (const GraphOutput& output : graph.outputs()) used[static_cast<size_t>(output.value)] = true;
  std::vector<ValueId> ids;
  for (size_t id = 0; id < graph.num_values(); ++id)
    if (used[id] && graph.value(static_cast<ValueId>(id)).constant)
      ids.push_back(static_cast<ValueId>(id));
  return ids;
}

}  // namespace

std::string print(const Graph& graph) {
  std::string text = "graph {\n";
  for (const auto& [key, value] : graph.metadata())
    text += fmt::format("  metadata {} = {}\n", quoted(key), quoted(value));
  for (const ValueId id : graph.inputs())
    text += fmt::format("  input {}\n", typed_text(graph, id));
  for (const ValueId id : used_constants(graph)) text += constant_text(graph, id);
  for (const NodeId id : graph.order()) text += node_text(graph, graph.node(id));
  for (const GraphOutput& output : graph.outputs())
    text += fmt::format("  output {} = {}\n", quoted(output.name), value_text(graph, output.value));
  return text + "}\n";
}

}  // namespace legato::ir
