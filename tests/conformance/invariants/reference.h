#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "kvcache/block_pool.h"

namespace legato::invariants {

/// Logits at every position of one sequence, computed from scratch by the reference evaluator: no
/// fused kernels, plain loops. Without a pool attention reads keys and values as they are, with one
/// as the pool's type rounds them.
std::vector<float> recompute(const ir::Graph& graph, std::span<const int32_t> tokens,
                             kvcache::BlockPool* pool = nullptr);

/// How far an engine's logits may lie from recompute() on the same weights, as a share of the
/// largest logit (docs/accuracy.md): kernels/rounding.h's formula with the cache's type.
double recompute_tolerance(DType kv, int64_t longest_sum);
/// The same against a recomputation with a cache of that type: only keys and values whose last bit
/// in f32 differs may round to the neighbour, few enough for an eighth of the above.
double same_cache_tolerance(DType kv, int64_t longest_sum);

/// Terms of the longest sum of a matrix product in the graph.
int64_t longest_sum(const ir::Graph& graph);

/// Largest difference over the largest absolute value of `expected`; infinity for NaN.
double relative_difference(std::span<const float> found, std::span<const float> expected);

}  // namespace legato::invariants
