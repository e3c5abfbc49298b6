#include "tests/conformance/invariants/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "kernels/rounding.h"
#include "kvcache/sequence_cache.h"
#include "passes/evaluator.h"

namespace legato::invariants {

std::vector<float> recompute(const ir::Graph& graph, std::span<const int32_t> tokens,
                             kvcache::BlockPool* pool) {
  const auto count = static_cast<int64_t>(tokens.size());
  Tensor ids(DType::kI32, {count}), positions(DType::kI32, {count});
  std::copy(tokens.begin(), tokens.end(), ids.data<int32_t>());
  std::iota(positions.data<int32_t>(), positions.data<int32_t>() + count, 0);
  std::map<std::string, Tensor> inputs;
  for (const ir::ValueId id : graph.inputs()) {
    const std::string& name = graph.value(id).name;
    inputs[name] = name == "input_ids" ? ids : positions;  // every row of logits is wanted
  }
  std::vector<Tensor> outputs;
  if (pool == nullptr) {
    outputs = passes::evaluate(graph, inputs);
  } else {
    kvcache::SequenceCache cache(*pool, nullptr);
    throw_if_failed(cache.reserve(count));
    const kernels::SequenceSpan span{0, static_cast<int32_t>(count), 0, cache.blocks().data()};
    const kernels::RaggedBatch batch{{&span, 1}, span.num_tokens};
    const kernels::KvView view{pool->base(), &pool->layout()};
    outputs = passes::evaluate(graph, inputs, &batch, &view);
  }
  const auto* logits = outputs.at(0).data<float>();
  return {logits, logits + outputs[0].shape().elements()};
}

double recompute_tolerance(DType kv, int64_t longest_sum) {
  return kernels::logit_tolerance(kernels::unit_roundoff(kv), longest_sum);
}

double same_cache_tolerance(DType kv, int64_t longest_sum) {
  return kernels::logit_tolerance(kernels::unit_roundoff(kv) / 8, longest_sum);
}

int64_t longest_sum(const ir::Graph& graph) {
  int64_t longest = 1;
  for (size_t id = 0; id < graph.num_values(); ++id) {
    const ir::ConstantPtr& constant = graph.value(static_cast<ir::ValueId>(id)).constant;
    if (constant && constant->shape().rank() == 2)
      longest = std::max(longest, constant->shape()[1]);
  }
  return longest;
}

double relative_difference(std::span<const float> found, std::span<const float> expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double difference = 0, largest = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const double d = std::abs(static_cast<double>(found[i]) - expected[i]);
    if (!(d <= std::numeric_limits<float>::max())) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, d);
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
  }
  return difference / largest;
}

}  // namespace legato::invariants
