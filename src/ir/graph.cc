#include "ir/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "ir/op.h"
#include "ir/rules/attributes.h"
#include "ir/rules/operands.h"

namespace legato::ir {
namespace {

/// Integer tensors up to this many elements have their elements followed by shape inference. Twice
/// the axes of a tensor is what exporters compute; a short line of text must not cost much memory.
constexpr int64_t kMaxKnown = 16;
constexpr size_t kMaxKnownNameBytes = 1024;
/// Bounds on a type, so that neither its element count nor the polynomial of it can explode.
constexpr double kMaxElements = 72057594037927936.0;  // 2^56
constexpr size_t kMaxTypeTerms = 64;
constexpr size_t kMaxTypeDegree = 16;
constexpr size_t kMaxNameBytes = 4096;

void check_type(const std::string& where, const ValueType& type) {
  const auto refuse = [&](const char* what) {
    throw Error(Code::kMalformed, where, fmt::format("{} {}", type.shape.to_string(), what));
  };
  if (type.shape.rank() > Shape::kMaxRank) refuse("has more than 8 axes");
  double elements = 1;
  size_t terms = 1;
  size_t degree = 0;
  for (const Dim& dim : type.shape.dims) {
    if (!is_bounded(dim)) refuse("has a dimension that is too complex");
    if (dim.is_constant() && dim.constant() < 0) refuse("has a negative dimension");
    const Dim::Complexity size = dim.complexity();
    elements *= std::max(size.magnitude, 1.0);
    terms *= std::max(size.terms, size_t{1});
    degree += size.degree;
  }
  if (elements > kMaxElements) refuse("has more than 2^56 elements");
  if (terms > kMaxTypeTerms || degree > kMaxTypeDegree) refuse("is too complex");
}

std::optional<std::vector<Dim>> known_elements(const Constant& constant) {
  if (constant.dtype() != DType::kI64 && constant.dtype() != DType::kI32) return std::nullopt;
  const int64_t count = constant.shape().elements();
  if (count > kMaxKnown) return std::nullopt;
  const Tensor data = constant.load();
  std::vector<Dim> known;
  for (int64_t i = 0; i < count; ++i)
    known.emplace_back(constant.dtype() == DType::kI64 ? data.data<int64_t>()[i]
                                                       : int64_t{data.data<int32_t>()[i]});
  return known;
}

bool is_worth_keeping(const std::vector<Dim>& known, const ValueType& type) {
  size_t name_bytes = 0;
  for (const Dim& dim : known) name_bytes += dim.complexity().name_bytes;
  return known.size() <= kMaxKnown && name_bytes <= kMaxKnownNameBytes &&
         type.shape.elements() == Dim(static_cast<int64_t>(known.size())) &&
         std::all_of(known.begin(), known.end(), is_bounded);
}

void check_name(const std::string& name, const char* what,
                const std::set<std::string, std::less<>>& taken) {
  if (name.empty() || name.size() > kMaxNameBytes)
    throw Error(Code::kMalformed, "",
                fmt::format("a {}'s name has {} bytes, expected 1 to {}", what, name.size(),
                            kMaxNameBytes));
  if (taken.count(name) != 0)
    throw Error(Code::kMalformed, fmt::format("{} \"{}\"", what, name),
                "the name is taken, expected another");
}

}  // namespace

ValueId Graph::add_value(Value value) {
  check_name(value.name, "value", value_names_);
  check_type(fmt::format("value \"{}\"", value.name), value.type);
  value_names_.insert(value.name);
  values_.push_back(std::move(value));
  users_.emplace_back();
  return static_cast<ValueId>(values_.size() - 1);
}

ValueId Graph::add_input(std::string name, ValueType type) {
  if (is_quantised(type.dtype))
    throw Error(Code::kMalformed, fmt::format("value \"{}\"", name),
                fmt::format("is {}, expected an input that is not quantised", type_text(type)));
  const ValueId id =
      add_value({.name = std::move(name), .type = std::move(type), .is_input = true});
  inputs_.push_back(id);
  return id;
}

ValueId Graph::add_constant(std::string name, ConstantPtr constant) {
  ValueType type{constant->dtype(), SymShape(constant->shape())};
  const ValueId id =
      add_value({.name = std::move(name), .type = std::move(type), .constant = constant});
  values_[static_cast<size_t>(id)].known = known_elements(*constant);
  return id;
}

ValueId Graph::add(std::string op, std::string name, std::vector<ValueId> inputs,
                   Attributes attributes) {
  const NodeId id =
      add_node(std::move(op), std::move(name), std::move(inputs), std::move(attributes), 1);
  return node(id).outputs[0];
}

NodeId Graph::add_node(std::string op, std::string name, std::vector<ValueId> inputs,
                       Attributes attributes, size_t num_outputs,
                       std::vector<std::string> output_names) {
  LEGATO_CHECK(output_names.empty() || output_names.size() == num_outputs);
  Node node{std::move(op), std::move(name), std::move(attributes), std::move(inputs), {}};
  if (node.name.empty()) node.name = unique_name(node.op);
  check_name(node.name, "node", node_names_);
  Inferred inferred = infer(node, num_outputs);
  const auto id = static_cast<NodeId>(nodes_.size());
  for (size_t i = 0; i < num_outputs; ++i) {
    std::string wanted = num_outputs == 1 ? node.name : fmt::format("{}.{}", node.name, i);
    if (!output_names.empty()) {
      wanted = std::move(output_names[i]);
    } else if (value_names_.count(wanted) != 0) {
      wanted = unique_name(wanted);
    }
    node.outputs.push_back(add_value({.name = std::move(wanted),
                                      .type = inferred.types[i],
                                      .producer = id,
                                      .output_index = static_cast<int32_t>(i)}));
  }
  store(node, std::move(inferred));
  node_names_.insert(node.name);
  link(id, node);
  nodes_.push_back(std::move(node));
  alive_.push_back(true);
  return id;
}

void Graph::check_input_ids(const Node& node) const {
  for (const ValueId id : node.inputs) {
    if (id == kNone) continue;
    if (id < 0 || static_cast<size_t>(id) >= values_.size())
      throw Error(Code::kInternal, fmt::format("node \"{}\" ({})", node.name, node.op),
                  fmt::format("reads value {} of {}", id, values_.size()));
  }
}

Graph::Inferred Graph::infer(Node& node, size_t num_outputs) const {
  while (!node.inputs.empty() && node.inputs.back() == kNone) node.inputs.pop_back();
  check_input_ids(node);
  const NodeView view{*this, node};
  const OpSchema* schema = ops().find(node.op);
  if (schema == nullptr) view.refuse("the op is unknown");
  if (node.inputs.size() < schema->min_inputs || node.inputs.size() > schema->max_inputs)
    view.refuse(fmt::format("has {} inputs, expected {} to {}", node.inputs.size(),
                            schema->min_inputs, schema->max_inputs));
  for (size_t i = 0; i < schema->min_inputs; ++i)
    if (node.inputs[i] == kNone) view.refuse(input_name(view, i) + " is absent");
  if (schema->num_outputs != 0 ? schema->num_outputs != num_outputs : num_outputs == 0)
    view.refuse(fmt::format("has {} outputs, expected {}", num_outputs,
                            std::max(schema->num_outputs, size_t{1})));
  check_quantised(*schema, view);
  node.attributes = checked_attributes(*schema, view);
  Inferred inferred{schema->infer(view), std::nullopt};
  if (inferred.types.size() != num_outputs)
    view.refuse(fmt::format("has {} outputs, expected {}", num_outputs, inferred.types.size()));
  for (const ValueType& type : inferred.types) {
    check_type(fmt::format("node \"{}\" ({})", node.name, node.op), type);
    if (is_quantised(type.dtype))
      view.refuse(
          fmt::format("makes {}, expected numbers that are not quantised", type_text(type)));
  }
  if (schema->known && !is_float(inferred.types[0].dtype)) inferred.known = schema->known(view);
  if (inferred.known && !is_worth_keeping(*inferred.known, inferred.types[0]))
    inferred.known.reset();
  return inferred;
}

bool Graph::store(const Node& node, Inferred inferred) {
  bool changed = false;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Value& value = values_[static_cast<size_t>(node.outputs[i])];
    changed =
        changed || value.type != inferred.types[i] || (i == 0 && value.known != inferred.known);
    value.type = std::move(inferred.types[i]);
    if (i == 0) value.known = std::move(inferred.known);
  }
  return changed;
}

void Graph::link(NodeId id, const Node& node) {
  for (const ValueId input : node.inputs) {
    if (input == kNone) continue;
    auto& list = users_[static_cast<size_t>(input)];
    // The node is in no list yet, so what it pushed before is last.
    if (list.empty() || list.back() != id) list.push_back(id);
  }
}

void Graph::unlink(NodeId id, const Node& node) {
  for (const ValueId input : node.inputs)
    if (input != kNone) std::erase(users_[static_cast<size_t>(input)], id);
}

void Graph::add_output(std::string name, ValueId value) {
  LEGATO_CHECK(value >= 0 && static_cast<size_t>(value) < values_.size());
  for (const GraphOutput& output : outputs_)
    if (output.name == name)
      throw Error(Code::kMalformed, fmt::format("output \"{}\"", name),
                  "the name is taken, expected another");
  outputs_.push_back({std::move(name), value});
}

void Graph::set_output(size_t index, ValueId value) { outputs_.at(index).value = value; }

std::vector<NodeId> Graph::order() const {
  std::vector<int> waiting(nodes_.size(), 0);
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  size_t live = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!alive_[i]) continue;
    ++live;
    std::set<NodeId> producers;
    for (const ValueId input : nodes_[i].inputs)
      if (input != kNone && value(input).producer != kNone) producers.insert(value(input).producer);
    waiting[i] = static_cast<int>(producers.size());
    if (producers.empty()) ready.push(static_cast<NodeId>(i));
  }
  std::vector<NodeId> sorted;
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    sorted.push_back(id);
    std::set<NodeId> readers;
    for (const ValueId output : node(id).outputs)
      for (const NodeId user : users_[static_cast<size_t>(output)]) readers.insert(user);
    for (const NodeId reader : readers)
      if (--waiting[static_cast<size_t>(reader)] == 0) ready.push(reader);
  }
  if (sorted.size() == live) return sorted;
  const auto stuck = std::find_if(waiting.begin(), waiting.end(), [](int n) { return n > 0; });
  const Node& blamed = nodes_[static_cast<size_t>(stuck - waiting.begin())];
  throw Error(Code::kMalformed, fmt::format("node \"{}\" ({})", blamed.name, blamed.op),
              "depends on its own output");
}

std::vector<NodeId> Graph::users(ValueId id) const {
  std::vector<NodeId> list = users_[static_cast<size_t>(id)];
  std::sort(list.begin(), list.end());
  return list;
}

const Node* Graph::producer(ValueId id) const {
  if (id == kNone || value(id).producer == kNone) return nullptr;
  return &node(value(id).producer);
}

void Graph::replace_uses(ValueId from, ValueId to) {
  if (from == to) return;
  if (value(from).type != value(to).type)
    throw Error(Code::kInternal, fmt::format("value \"{}\"", value(from).name),
                fmt::format("is {}, its replacement {} {}", type_text(value(from).type),
                            value(to).name, type_text(value(to).type)));
  for (const NodeId id : users(from)) {
    Node& user = nodes_[static_cast<size_t>(id)];
    unlink(id, user);
    std::replace(user.inputs.begin(), user.inputs.end(), from, to);
    link(id, user);
  }
  for (GraphOutput& output : outputs_)
    if (output.value == from) output.value = to;
}

void Graph::update(NodeId id, std::vector<ValueId> inputs, Attributes attributes) {
  Node& node = nodes_[static_cast<size_t>(id)];
  Node changed{node.op, node.name, std::move(attributes), std::move(inputs), node.outputs};
  Inferred inferred = infer(changed, node.outputs.size());
  unlink(id, node);
  node = std::move(changed);
  link(id, node);
  if (store(node, std::move(inferred))) infer_dependents(id);
}

void Graph::infer_dependents(NodeId changed) {
  std::vector<bool> dirty(nodes_.size(), false);
  const auto mark_readers = [&](const Node& node) {
    for (const ValueId output : node.outputs)
      for (const NodeId user : users_[static_cast<size_t>(output)])
        dirty[static_cast<size_t>(user)] = true;
  };
  mark_readers(node(changed));
  for (const NodeId id : order()) {
    if (!dirty[static_cast<size_t>(id)]) continue;
    Node& reader = nodes_[static_cast<size_t>(id)];
    if (store(reader, infer(reader, reader.outputs.size()))) mark_readers(reader);
  }
}

void Graph::erase(NodeId id) {
  const Node& node = nodes_[static_cast<size_t>(id)];
  for (const ValueId output : node.outputs) {
    const bool is_output = std::any_of(outputs_.begin(), outputs_.end(),
                                       [&](const GraphOutput& o) { return o.value == output; });
    if (is_output || !users_[static_cast<size_t>(output)].empty())
      throw Error(Code::kInternal, fmt::format("node \"{}\" ({})", node.name, node.op),
                  "is erased while its output is read");
  }
  for (const ValueId output : node.outputs)
    value_names_.erase(values_[static_cast<size_t>(output)].name);
  node_names_.erase(node.name);
  unlink(id, node);
  alive_[static_cast<size_t>(id)] = false;
}

std::string Graph::unique_name(std::string_view base) const {
  const auto is_free = [&](const std::string& name) {
    return value_names_.count(name) == 0 && node_names_.count(name) == 0;
  };
  std::string name(base.substr(0, kMaxNameBytes - 16));
  for (int i = 1; !is_free(name); ++i) name = fmt::format("{}.{}", base.substr(0, 4080), i);
  return name;
}

}  // namespace legato::ir
