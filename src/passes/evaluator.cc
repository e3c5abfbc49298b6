#include "passes/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "device/cpu/team.h"
#include "ir/op.h"
#include "kernels/tactic.h"

namespace legato::passes {
namespace {

using kernels::LaunchArgs;
using kernels::Limits;
using kernels::Operand;
using kernels::Problem;
using kernels::RaggedBatch;
using kernels::SequenceSpan;

/// Types of the outputs for operands of known shape and content: the op's own shape rule, run on a
/// graph that holds this node alone.
std::vector<Shape> output_shapes(const ir::Node& node, const std::vector<const Tensor*>& inputs,
                                 Problem& problem) {
  ir::Graph graph;
  std::vector<ir::ValueId> ids;
  for (size_t i = 0; i < inputs.size(); ++i)
    ids.push_back(inputs[i] == nullptr ? ir::kNone
                                       : graph.add_constant(fmt::format("input {}", i),
                                                            ir::constant_from_tensor(*inputs[i])));
  const ir::NodeId id =
      graph.add_node(node.op, node.name, std::move(ids), node.attributes, node.outputs.size());
  problem.op = node.op;
  problem.attributes = graph.node(id).attributes;
  for (const Tensor* input : inputs)
    problem.inputs.push_back(input == nullptr ? kernels::OperandSpec{}
                                              : kernels::OperandSpec{true, false, input->dtype(),
                                                                     SymShape(input->shape())});
  std::vector<Shape> shapes;
  for (const ir::ValueId output : graph.node(id).outputs) {
    const ir::ValueType& type = graph.value(output).type;
    const Result<Shape> shape = type.shape.evaluate({});
    if (!shape.ok())
      throw Error(shape.status().code, fmt::format("node \"{}\" ({})", node.name, node.op),
                  shape.status().message);
    shapes.push_back(*shape);
    problem.outputs.push_back({true, false, type.dtype, type.shape});
  }
  return shapes;
}

Operand operand_of(const Tensor* tensor) {
  if (tensor == nullptr) return {};
  Operand operand;
  // Kernels take inputs and outputs through one type; inputs are only read.
  operand.data = const_cast<std::byte*>(tensor->raw().data());
  operand.dtype = tensor->dtype();
  operand.shape = tensor->shape();
  operand.row_stride = operand.columns();
  return operand;
}

Limits limits_of(const RaggedBatch& batch) {
  Limits limits;
  limits.max_tokens = batch.num_tokens;
  limits.max_sequences = static_cast<int64_t>(batch.sequences.size());
  for (const SequenceSpan& sequence : batch.sequences)
    limits.max_context =
        std::max<int64_t>(limits.max_context, sequence.past_tokens + sequence.num_tokens);
  return limits;
}

void check_input(const ir::Value& value, const Tensor& tensor) {
  bool fits =
      tensor.dtype() == value.type.dtype && tensor.shape().rank() == value.type.shape.rank();
  for (int axis = 0; fits && axis < tensor.shape().rank(); ++axis) {
    const Dim& dim = value.type.shape[axis];
    fits = !dim.is_constant() || dim.constant() == tensor.shape()[axis];
  }
  if (!fits)
    throw Error(Code::kInvalidArgument, fmt::format("input \"{}\"", value.name),
                fmt::format("is {}{}, expected {}{}", dtype_name(tensor.dtype()),
                            tensor.shape().to_string(), dtype_name(value.type.dtype),
                            value.type.shape.to_string()));
}

/// Values computed so far, by id; constants are loaded at first use.
class Values {
 public:
  explicit Values(const ir::Graph& graph) : graph_(graph), tensors_(graph.num_values()) {}

  void set(ir::ValueId id, Tensor tensor) { tensors_[static_cast<size_t>(id)] = std::move(tensor); }
  const Tensor& get(ir::ValueId id) {
    auto& tensor = tensors_[static_cast<size_t>(id)];
    if (!tensor && graph_.value(id).constant) tensor = graph_.value(id).constant->load();
    LEGATO_CHECK(tensor.has_value());
    return *tensor;
  }

 private:
  const ir::Graph& graph_;
  std::vector<std::optional<Tensor>> tensors_;
};

}  // namespace

std::vector<Tensor> evaluate_node(const ir::Node& node, const std::vector<const Tensor*>& inputs,
                                  const RaggedBatch* batch, const kernels::KvView* kv) {
  Problem problem;
  const std::vector<Shape> shapes = output_shapes(node, inputs, problem);
  const kernels::DeviceInfo device;
  const kernels::Tactic* tactic =
      value_or_throw(kernels::reference_tactics().choose(problem, device));
  const auto kernel = value_or_throw(tactic->bind(problem, device));

  SequenceSpan whole;
  RaggedBatch own;
  if (batch == nullptr && !inputs.empty() && inputs[0] != nullptr &&
      inputs[0]->shape().rank() > 0) {
    whole.num_tokens = own.num_tokens = static_cast<int32_t>(inputs[0]->shape()[0]);
    own.sequences = {&whole, 1};
    batch = &own;
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < shapes.size(); ++i)
    outputs.emplace_back(problem.outputs[i].dtype, shapes[i]);
  std::vector<Operand> input_operands;
  std::vector<Operand> output_operands;
  for (const Tensor* input : inputs) input_operands.push_back(operand_of(input));
  for (const Tensor& output : outputs) output_operands.push_back(operand_of(&output));
  const size_t workspace_bytes =
      kernel->workspace_bytes(batch == nullptr ? Limits{} : limits_of(*batch));
  Tensor workspace(DType::kU8, {static_cast<int64_t>(workspace_bytes)});
  const LaunchArgs args{input_operands, output_operands, workspace.raw().data(), batch, kv};
  Team team(1);
  team.run([&](TeamMember& member) { kernel->launch(args, member); });
  return outputs;
}

std::vector<Tensor> evaluate(const ir::Graph& graph, const std::map<std::string, Tensor>& inputs,
                             const RaggedBatch* batch, const kernels::KvView* kv) {
  Values values(graph);
  for (const ir::ValueId id : graph.inputs()) {
    const ir::Value& value = graph.value(id);
    const auto given = inputs.find(value.name);
    if (given == inputs.end())
      throw Error(Code::kInvalidArgument, fmt::format("input \"{}\"", value.name), "is missing");
    check_input(value, given->second);
    values.set(id, given->second);
  }
  for (const ir::NodeId id : graph.order()) {
    const ir::Node& node = graph.node(id);
    std::vector<const Tensor*> operands;
    for (const ir::ValueId input : node.inputs)
      operands.push_back(input == ir::kNone ? nullptr : &values.get(input));
    std::vector<Tensor> outputs = evaluate_node(node, operands, batch, kv);
    for (size_t i = 0; i < outputs.size(); ++i) values.set(node.outputs[i], std::move(outputs[i]));
  }
  std::vector<Tensor> results;
  for (const ir::GraphOutput& output : graph.outputs()) results.push_back(values.get(output.value));
  return results;
}

}  // namespace legato::passes
