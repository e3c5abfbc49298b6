#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <vector>

#include "ir/rules/fused.h"
#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {
namespace {

bool is_projection(const ir::Node& node) { return node.op == "Linear" || node.op == "GatedMlp"; }

/// Projections whose results reach `value` through other ops alone, added to `found`.
void add_sources(const ir::Graph& graph, ir::ValueId value, std::set<ir::NodeId>& found) {
  std::vector<ir::ValueId> open = {value};
  std::set<ir::ValueId> seen;
  while (!open.empty()) {
    const ir::ValueId next = open.back();
    open.pop_back();
    if (next == ir::kNone || !seen.insert(next).second) continue;
    const ir::NodeId id = graph.value(next).producer;
    if (id == ir::kNone || graph.node(id).op == "Attention") continue;
    const ir::Node& node = graph.node(id);
    if (is_projection(node)) {
      found.insert(id);
    } else {
      open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
  }
}

/// The projections that make queries, keys, values and logits.
std::set<ir::NodeId> sensitive_projections(const ir::Graph& graph) {
  std::set<ir::NodeId> found;
  for (const ir::NodeId id : nodes_of(graph, "Attention"))
    for (const ir::ValueId input : graph.node(id).inputs) add_sources(graph, input, found);
  for (const ir::GraphOutput& output : graph.outputs()) add_sources(graph, output.value, found);
  return found;
}

/// For each value the largest number of attentions one after the other that it hangs on.
std::vector<int> attention_depths(const ir::Graph& graph) {
  std::vector<int> depths(graph.num_values(), 0);
  for (const ir::NodeId id : graph.order()) {
    const ir::Node& node = graph.node(id);
    int depth = 0;
    for (const ir::ValueId input : node.inputs)
      if (input != ir::kNone) depth = std::max(depth, depths[static_cast<size_t>(input)]);
    if (node.op == "Attention") ++depth;
    for (const ir::ValueId output : node.outputs) depths[static_cast<size_t>(output)] = depth;
  }
  return depths;
}

/// Whether kernels round the activations of this projection: those of w8 have 8 bits by definition.
bool has_choice(const ir::Graph& graph, const ir::Node& node) {
  const ir::Value& weight = graph.value(node.inputs[linear::kWeight]);
  return is_projection(node) && weight.constant != nullptr && is_quantised(weight.type.dtype) &&
         weight.type.dtype != DType::kW8;
}

/// The feed-forward projections of the first and the last layer.
std::vector<ir::NodeId> outer_feed_forward(const ir::Graph& graph,
                                           const std::vector<ir::NodeId>& feed_forward) {
  const std::vector<int> depths = attention_depths(graph);
  const auto depth_of = [&](ir::NodeId id) {
    return depths[static_cast<size_t>(graph.node(id).inputs[linear::kX])];
  };
  int first = std::numeric_limits<int>::max(), last = 0;
  for (const ir::NodeId id : feed_forward) {
    first = std::min(first, depth_of(id));
    last = std::max(last, depth_of(id));
  }
  std::vector<ir::NodeId> outer;
  std::copy_if(feed_forward.begin(), feed_forward.end(), std::back_inserter(outer),
               [&](ir::NodeId id) { return depth_of(id) == first || depth_of(id) == last; });
  return outer;
}

}  // namespace

/// Kernels round activations to 8 bits where weights are quantised; 15 bits cost twice the
/// products. They are worth it where rounding moves the logits most for the products they cost:
/// in what makes queries, keys, values and logits, and in the first and last layer's feed-forward
/// projections. What follows attention is an average of values, without outliers.
int64_t choose_activation_bits(ir::Graph& graph, const PassOptions& /*options*/) {
  const std::set<ir::NodeId> sensitive = sensitive_projections(graph);
  std::vector<ir::NodeId> fine, feed_forward;
  for (const ir::NodeId id : graph.order()) {
    const ir::Node& node = graph.node(id);
    if (!has_choice(graph, node)) continue;
    if (sensitive.contains(id)) {
      fine.push_back(id);
    } else if (producer_of(graph, node.inputs[linear::kX], "Attention") == nullptr) {
      feed_forward.push_back(id);
    }
  }
  const std::vector<ir::NodeId> outer = outer_feed_forward(graph, feed_forward);
  fine.insert(fine.end(), outer.begin(), outer.end());
  for (const ir::NodeId id : fine) {
    const ir::Node node = graph.node(id);
    Attributes attributes = node.attributes;
    attributes.set("activation_bits", ir::kFineActivationBits);
    graph.update(id, node.inputs, std::move(attributes));
  }
  return static_cast<int64_t>(fine.size());
}

}  // namespace legato::passes
