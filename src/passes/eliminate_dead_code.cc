#include "passes/pass.h"
#include "passes/patterns/matchers.h"

namespace legato::passes {

int64_t eliminate_dead_code(ir::Graph& graph, const PassOptions& /*options*/) {
  int64_t erased = 0;
  const std::vector<ir::NodeId> order = graph.order();
  // Readers go before what they read.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (is_read(graph, graph.node(*it))) continue;
    graph.erase(*it);
    ++erased;
  }
  return erased;
}

}  // namespace legato::passes
