#include <algorithm>
#include <optional>

#include "passes/evaluator.h"
#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {
namespace {

/// What is computed at compile time stays small; larger results are left to the run.
constexpr size_t kMaxBytes = size_t{64} << 20;

bool is_small(const ir::ValueType& type) {
  const auto shape = type.shape.evaluate({});
  if (!shape.ok() || is_quantised(type.dtype)) return false;
  const auto bytes = checked_bytes(shape->dims(), dtype_bytes(type.dtype));
  return bytes && *bytes <= kMaxBytes;
}

/// A matrix that is turned or converted stays on disk: only the way it is read changes.
ir::ConstantPtr lazily(const ir::Graph& graph, const ir::Node& node) {
  const ir::ConstantPtr constant = graph.value(node.inputs[0]).constant;
  const ir::ValueType& type = graph.value(node.outputs[0]).type;
  if (node.op == "Transpose" && constant->shape().rank() == 2 &&
      node.attributes.get_ints("perm") == std::vector<int64_t>{1, 0})
    return ir::transposed(constant);
  if (node.op == "Cast" && is_float(type.dtype) && is_float(constant->dtype()))
    return ir::cast(constant, type.dtype);
  return nullptr;
}

/// Elements of an integer tensor that shapes alone tell.
ir::ConstantPtr from_known(const ir::Value& value) {
  if (!value.known || (value.type.dtype != DType::kI64 && value.type.dtype != DType::kI32))
    return nullptr;
  const auto shape = value.type.shape.evaluate({});
  const auto& known = *value.known;
  const bool all =
      std::all_of(known.begin(), known.end(), [](const Dim& dim) { return dim.is_constant(); });
  if (!shape.ok() || !all || shape->elements() != static_cast<int64_t>(known.size()))
    return nullptr;
  Tensor tensor(value.type.dtype, *shape);
  for (size_t i = 0; i < known.size(); ++i) {
    const int64_t number = known[i].constant();
    if (value.type.dtype == DType::kI64) {
      tensor.data<int64_t>()[i] = number;
    } else {
      tensor.data<int32_t>()[i] = static_cast<int32_t>(number);
    }
  }
  return ir::constant_from_tensor(std::move(tensor));
}

bool hangs_on_constants(const ir::Graph& graph, const ir::Node& node) {
  bool any = false;
  for (const ir::ValueId input : node.inputs) {
    if (input == ir::kNone) continue;
    if (!graph.value(input).constant) return false;
    any = true;
  }
  return any;
}

void replace(ir::Graph& graph, ir::ValueId value, ir::ConstantPtr constant) {
  const ir::ValueId folded =
      graph.add_constant(graph.unique_name(graph.value(value).name), std::move(constant));
  graph.replace_uses(value, folded);
}

bool fold(ir::Graph& graph, ir::NodeId id) {
  const ir::Node node = graph.node(id);
  if (ir::ConstantPtr known = from_known(graph.value(node.outputs[0]))) {
    replace(graph, node.outputs[0], std::move(known));
    return true;
  }
  if (node.op == "Attention" || !hangs_on_constants(graph, node)) return false;
  if (ir::ConstantPtr lazy = lazily(graph, node)) {
    replace(graph, node.outputs[0], std::move(lazy));
    return true;
  }
  for (const ir::ValueId value : node.inputs)
    if (value != ir::kNone && !is_small(graph.value(value).type)) return false;
  for (const ir::ValueId value : node.outputs)
    if (!is_small(graph.value(value).type)) return false;
  std::vector<Tensor> loaded;
  loaded.reserve(node.inputs.size());  // operands point into it
  std::vector<const Tensor*> operands;
  for (const ir::ValueId value : node.inputs) {
    if (value != ir::kNone) loaded.push_back(graph.value(value).constant->load());
    operands.push_back(value == ir::kNone ? nullptr : &loaded.back());
  }
  std::vector<Tensor> results = evaluate_node(node, operands);
  for (size_t i = 0; i < results.size(); ++i)
    replace(graph, node.outputs[i], ir::constant_from_tensor(std::move(results[i])));
  return true;
}

}  // namespace

int64_t fold_constants(ir::Graph& graph, const PassOptions& /*options*/) {
  int64_t folded = 0;
  for (const ir::NodeId id : graph.order()) {
    if (!is_read(graph, graph.node(id)) || !fold(graph, id)) continue;
    erase_dead(graph, id);
    ++folded;
  }
  return folded;
}

}  // namespace legato::passes
