#include <array>
#include <optional>

#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {
namespace {

using Projections = std::array<const ir::Node*, 3>;

/// The three Linear nodes behind an Attention's q, k and v when they can become one: the same
/// input and norm, constant weights of one dtype, nothing added or activated.
std::optional<Projections> match(const ir::Graph& graph, const ir::Node& attention_node) {
  const int64_t head_dim = attention_node.attributes.get_int("head_dim");
  Projections projections{};
  for (size_t i = 0; i < 3; ++i) {
    const HeadChain chain = head_chain(graph, attention_node.inputs[i], head_dim);
    const ir::Node* node = producer_of(graph, chain.source, "Linear");
    if (node == nullptr) return std::nullopt;
    projections[i] = node;
    const ir::Node& first = *projections[0];
    const bool fits = graph.value(node->inputs[linear::kWeight]).constant != nullptr &&
                      graph.value(node->inputs[linear::kWeight]).type.dtype ==
                          graph.value(first.inputs[linear::kWeight]).type.dtype &&
                      (node->input(linear::kBias) == ir::kNone ||
                       graph.value(node->input(linear::kBias)).constant != nullptr) &&
                      node->input(linear::kResidual) == ir::kNone &&
                      node->attributes.get_string("activation") == "none" &&
                      node->inputs[linear::kX] == first.inputs[linear::kX] &&
                      node->input(linear::kNormWeight) == first.input(linear::kNormWeight) &&
                      node->input(linear::kNormBias) == first.input(linear::kNormBias) &&
                      node->attributes == first.attributes;
    if (!fits) return std::nullopt;
  }
  const bool distinct = projections[0] != projections[1] && projections[0] != projections[2] &&
                        projections[1] != projections[2];
  return distinct ? std::optional(projections) : std::nullopt;
}

int64_t features(const ir::Graph& graph, const ir::Node& node) {
  return graph.value(node.inputs[linear::kWeight]).constant->rows();
}

ir::ValueId packed_weight(ir::Graph& graph, const Projections& projections) {
  std::vector<ir::ConstantPtr> parts;
  for (const ir::Node* node : projections)
    parts.push_back(graph.value(node->inputs[linear::kWeight]).constant);
  const std::string& name = graph.value(projections[0]->inputs[linear::kWeight]).name;
  return graph.add_constant(graph.unique_name(name + ".qkv"), ir::concatenated(std::move(parts)));
}

/// The biases one after the other, zeros for an absent one; kNone when all are.
ir::ValueId packed_bias(ir::Graph& graph, const Projections& projections) {
  std::vector<ir::ConstantPtr> parts;
  std::string name;
  for (const ir::Node* node : projections) {
    const ir::ValueId bias = node->input(linear::kBias);
    if (bias != ir::kNone && name.empty()) name = graph.value(bias).name + ".qkv";
    parts.push_back(bias != ir::kNone
                        ? ir::cast(graph.value(bias).constant, DType::kF32)
                        : ir::constant_from_tensor(Tensor(DType::kF32, {features(graph, *node)})));
  }
  if (name.empty()) return ir::kNone;
  return graph.add_constant(graph.unique_name(name), ir::concatenated(std::move(parts)));
}

void pack(ir::Graph& graph, const Projections& matched) {
  const std::array<ir::Node, 3> nodes = {*matched[0], *matched[1], *matched[2]};
  const Projections projections = {&nodes[0], &nodes[1], &nodes[2]};
  std::vector<ir::ValueId> inputs = padded_inputs(nodes[0], linear::kCount);
  inputs[linear::kWeight] = packed_weight(graph, projections);
  inputs[linear::kBias] = packed_bias(graph, projections);
  const ir::ValueId packed = graph.add("Linear", graph.unique_name(nodes[0].name + ".qkv"),
                                       std::move(inputs), nodes[0].attributes);
  const int64_t axis = graph.value(packed).type.shape.rank() - 1;
  int64_t begin = 0;
  for (const ir::Node& node : nodes) {
    const int64_t end = begin + features(graph, node);
    const ir::ValueId slice = graph.add("Slice", graph.unique_name(node.name + ".slice"), {packed},
                                        {{"starts", std::vector<int64_t>{begin}},
                                         {"ends", std::vector<int64_t>{end}},
                                         {"axes", std::vector<int64_t>{axis}}});
    const ir::ValueId old = node.outputs[0];
    graph.replace_uses(old, slice);
    graph.erase(graph.value(old).producer);
    begin = end;
  }
}

}  // namespace

int64_t pack_qkv(ir::Graph& graph, const PassOptions& /*options*/) {
  int64_t rewrites = 0;
  for (const ir::NodeId id : nodes_of(graph, "Attention")) {
    const auto projections = match(graph, graph.node(id));
    if (!projections) continue;
    pack(graph, *projections);
    ++rewrites;
  }
  return rewrites;
}

}  // namespace legato::passes
