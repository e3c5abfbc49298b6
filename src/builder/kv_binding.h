#pragma once

#include <string>

#include "engine/schema.h"
#include "ir/graph.h"

namespace legato::builder {

/// Whether a graph's attention keeps its keys and values in a cache, and what that cache holds.
struct KvBinding {
  bool bound = false;
  std::string reason;  ///< why not
  engine::KvSpec kv;   ///< the layers; the dtype is set where the precision is known
};

/// Reads the cache's layers off the Attention nodes. Throws Error when they are no complete run of
/// layers, when another node mixes positions so that steps would compute something else, and, with
/// `required`, when there is nothing to bind, naming the node that stops it.
KvBinding bind_kv_cache(const ir::Graph& graph, bool required);

}  // namespace legato::builder
