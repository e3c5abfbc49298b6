#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "kernels/step.h"
#include "tensor/tensor.h"

namespace legato::passes {

/// Runs a graph with the reference tactics, node by node, and returns its outputs in order. Inputs
/// come by name; shapes are taken from them, not from the graph's symbols. Attention needs `batch`
/// (null: all tokens are one sequence from position 0) and uses the paged cache of `kv`, or without
/// it the step's own keys and values. For tests and constant folding: it allocates as it goes.
/// Throws Error.
std::vector<Tensor> evaluate(const ir::Graph& graph, const std::map<std::string, Tensor>& inputs,
                             const kernels::RaggedBatch* batch = nullptr,
                             const kernels::KvView* kv = nullptr);

/// The outputs of one node on operands in memory; an absent optional one is null.
std::vector<Tensor> evaluate_node(const ir::Node& node, const std::vector<const Tensor*>& inputs,
                                  const kernels::RaggedBatch* batch = nullptr,
                                  const kernels::KvView* kv = nullptr);

}  // namespace legato::passes
