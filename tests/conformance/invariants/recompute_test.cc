// An engine with its cache equals the same graph recomputed from scratch.

#include <gtest/gtest.h>

#include "passes/pass.h"
#include "tests/conformance/invariants/reference.h"
#include "tests/conformance/invariants/trace.h"

namespace legato::invariants {
namespace {

class Recompute : public ::testing::TestWithParam<Variant> {};

/// The imported graph, its weights rounded as the engine's are, and nothing fused.
ir::Graph reference_graph(const Variant& variant) {
  ir::Graph graph = std::move(import_variant(variant).graph);
  passes::PassOptions options;
  options.precision = variant.precision;
  passes::cast_weights(graph, options);
  return graph;
}

TEST_P(Recompute, CachedLogitsEqualTheUncachedOnes) {
  const DType kv = GetParam().kv;
  const auto engine = build_engine(GetParam());
  const ir::Graph graph = reference_graph(GetParam());
  const int64_t terms = longest_sum(graph);
  HugeMemory memory;
  kvcache::BlockPool pool =
      value_or_throw(kvcache::BlockPool::create(KvLayout(engine->spec().kv.layers, kv), 4, memory));
  for (const CpuLevel level : {CpuLevel::kSse2, best_cpu_level()}) {
    Runner runner(engine, kv, {2, level});
    // Prefill, then decode: the rows of both kinds are compared.
    const Trace trace = trace_alone(runner, random_prompt(runner, 41, 1), 20);
    EXPECT_LT(relative_difference(trace.rows, recompute(graph, trace.tokens)),
              recompute_tolerance(kv, terms))
        << cpu_level_name(level);
    EXPECT_LT(relative_difference(trace.rows, recompute(graph, trace.tokens, &pool)),
              same_cache_tolerance(kv, terms))
        << cpu_level_name(level);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Recompute, ::testing::ValuesIn(all_variants()),
                         [](const auto& param) { return param.param.name(); });
INSTANTIATE_TEST_SUITE_P(Mixtures, Recompute, ::testing::ValuesIn(few_variants()),
                         [](const auto& param) { return param.param.name(); });

}  // namespace
}  // namespace legato::invariants
