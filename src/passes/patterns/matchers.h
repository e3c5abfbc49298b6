#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace legato::passes {

/// The node that makes `value` when it is of this op, else null.
const ir::Node* producer_of(const ir::Graph& graph, ir::ValueId value, std::string_view op);
/// Live nodes of one op, in the graph's order.
std::vector<ir::NodeId> nodes_of(const ir::Graph& graph, std::string_view op);
bool is_output(const ir::Graph& graph, ir::ValueId value);
/// Whether a node or an output reads anything that the node makes.
bool is_read(const ir::Graph& graph, const ir::Node& node);
/// Whether one node alone reads the value, once, and no output does.
bool read_once(const ir::Graph& graph, ir::ValueId value);
/// Erases the node when nothing reads its outputs, and then what it alone kept alive.
void erase_dead(ir::Graph& graph, ir::NodeId id);
/// The node's inputs, filled up with kNone to `count`.
std::vector<ir::ValueId> padded_inputs(const ir::Node& node, size_t count);

/// Positions of operands, as the schemas in ir/ops list them.
namespace linear {
inline constexpr size_t kX = 0, kWeight = 1, kBias = 2, kResidual = 3, kNormWeight = 4,
                        kNormBias = 5, kCount = 6;
}
namespace gated_mlp {
inline constexpr size_t kX = 0, kGateWeight = 1, kUpWeight = 2, kNormWeight = 5, kNormBias = 6,
                        kCount = 7;
}
namespace attention {
inline constexpr size_t kQ = 0, kK = 1, kV = 2, kRopeTable = 3, kQNorm = 4, kKNorm = 5, kCount = 6;
}

/// One of Attention's inputs followed back to the projection that makes it: `[Rope(] [RmsNorm(]
/// source`.
struct HeadChain {
  const ir::Node* rope = nullptr;
  const ir::Node* norm = nullptr;  ///< normalises heads of head_dim columns by a weight
  ir::ValueId source = ir::kNone;
};
HeadChain head_chain(const ir::Graph& graph, ir::ValueId value, int64_t head_dim);

}  // namespace legato::passes
