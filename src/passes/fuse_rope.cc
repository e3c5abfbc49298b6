#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {
namespace {

/// Both sides turn by the same table in the same way.
bool same_rope(const ir::Node* q, const ir::Node* k) {
  return q != nullptr && k != nullptr && q->inputs[1] == k->inputs[1] &&
         q->attributes == k->attributes;
}

bool same_epsilon(const ir::Node* q, const ir::Node* k) {
  return q == nullptr || k == nullptr ||
         q->attributes.get_float("epsilon") == k->attributes.get_float("epsilon");
}

/// Takes Rope and the norms of heads into an Attention that has none of its own yet. Attention
/// normalises first and turns then, so a norm can only come along when what lies between comes too.
bool fuse(ir::Graph& graph, ir::NodeId id) {
  const ir::Node node = graph.node(id);
  std::vector<ir::ValueId> inputs = padded_inputs(node, attention::kCount);
  if (inputs[attention::kRopeTable] != ir::kNone || inputs[attention::kQNorm] != ir::kNone ||
      inputs[attention::kKNorm] != ir::kNone)
    return false;
  const int64_t head_dim = node.attributes.get_int("head_dim");
  const HeadChain q = head_chain(graph, inputs[attention::kQ], head_dim);
  const HeadChain k = head_chain(graph, inputs[attention::kK], head_dim);
  const bool any_rope = q.rope != nullptr || k.rope != nullptr;
  const bool take_rope = same_rope(q.rope, k.rope);
  if (any_rope && !take_rope) return false;
  const bool take_norm = (q.norm != nullptr || k.norm != nullptr) && same_epsilon(q.norm, k.norm);
  if (!take_rope && !take_norm) return false;
  Attributes attributes = node.attributes;
  inputs[attention::kQ] = take_norm ? q.source : q.rope->inputs[0];
  inputs[attention::kK] = take_norm ? k.source : k.rope->inputs[0];
  if (take_rope) {
    inputs[attention::kRopeTable] = q.rope->inputs[1];
    attributes.set("rotary_dim", q.rope->attributes.get_int("rotary_dim"));
    attributes.set("interleaved", q.rope->attributes.get_int("interleaved"));
  }
  if (take_norm) {
    inputs[attention::kQNorm] = q.norm != nullptr ? q.norm->inputs[1] : ir::kNone;
    inputs[attention::kKNorm] = k.norm != nullptr ? k.norm->inputs[1] : ir::kNone;
    attributes.set("norm_epsilon",
                   (q.norm != nullptr ? q.norm : k.norm)->attributes.get_float("epsilon"));
  }
  const ir::NodeId old_q = graph.value(node.inputs[attention::kQ]).producer;
  const ir::NodeId old_k = graph.value(node.inputs[attention::kK]).producer;
  graph.update(id, std::move(inputs), std::move(attributes));
  erase_dead(graph, old_q);
  erase_dead(graph, old_k);
  return true;
}

}  // namespace

int64_t fuse_rope(ir::Graph& graph, const PassOptions& /*options*/) {
  int64_t rewrites = 0;
  for (const ir::NodeId id : nodes_of(graph, "Attention")) rewrites += fuse(graph, id) ? 1 : 0;
  return rewrites;
}

}  // namespace legato::passes
