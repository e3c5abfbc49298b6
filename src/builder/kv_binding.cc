#include "builder/kv_binding.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/status.h"
#include "builder/sequence_walk.h"

namespace legato::builder {
namespace {

engine::KvSpec collect_layers(const ir::Graph& graph) {
  std::map<int64_t, KvLayerSpec> layers;
  for (const ir::NodeId id : graph.order()) {
    const ir::Node& node = graph.node(id);
    if (node.op != "Attention") continue;
    const auto attribute = [&node](const char* name) {
      return static_cast<int32_t>(node.attributes.get_int(name));
    };
    const int64_t layer = node.attributes.get_int("layer");
    const auto [it, added] =
        layers.try_emplace(layer, KvLayerSpec{attribute("kv_heads"), attribute("head_dim"),
                                              attribute("window"), attribute("sinks")});
    if (!added)
      throw Error(Code::kUnsupported, node.name,
                  fmt::format("uses cache layer {}, expected one of its own: another Attention "
                              "writes it too",
                              layer));
  }
  engine::KvSpec kv;
  for (const auto& [layer, spec] : layers) {
    if (layer != static_cast<int64_t>(kv.layers.size()))
      throw Error(Code::kMalformed, "graph",
                  fmt::format("has cache layer {}, expected layer {}: layers count from 0 without "
                              "holes",
                              layer, kv.layers.size()));
    kv.layers.push_back(spec);
  }
  return kv;
}

}  // namespace

KvBinding bind_kv_cache(const ir::Graph& graph, bool required) {
  KvBinding binding;
  binding.kv = collect_layers(graph);
  binding.bound = !binding.kv.layers.empty();
  const std::optional<Obstacle> obstacle = find_obstacle(graph);
  if (binding.bound && obstacle)
    throw Error(Code::kUnsupported, obstacle->node,
                fmt::format("{}: a graph with a KV cache runs piece by piece, expected every node "
                            "beside Attention to treat positions one by one",
                            obstacle->reason));
  if (binding.bound) return binding;
  binding.reason = obstacle ? fmt::format("node {}: {}", obstacle->node, obstacle->reason)
                            : "the graph has no attention";
  if (required)
    throw Error(Code::kUnsupported, obstacle ? obstacle->node : "graph",
                fmt::format("{}: no KV cache can be bound, which was required",
                            obstacle ? obstacle->reason : "has no attention"));
  return binding;
}

}  // namespace legato::builder
