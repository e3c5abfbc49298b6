#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "builder/builder.h"
#include "device/cpu/huge_memory.h"
#include "engine/engine.h"
#include "import/importer.h"
#include "kvcache/sequence_cache.h"
#include "runtime/context.h"

/// Tests of the promises that hold for whole engines: what a sequence computes depends on its own
/// tokens alone.
namespace legato::invariants {

/// A model of the repository in one of its forms.
struct Variant {
  std::string model;  ///< folder in models/ or tests/data/zoo/
  DType precision = DType::kF32;
  DType kv = DType::kF32;

  /// Letters, digits and underscores.
  std::string name() const;
};
std::ostream& operator<<(std::ostream& out, const Variant& variant);

/// All models in f32, f16 and bf16 with a cache of the same type.
std::vector<Variant> all_variants();
/// One small model with every mixture of weight and cache types, and models that differ in kind.
std::vector<Variant> few_variants();
/// Quantised weights, whose activations are rounded too.
std::vector<Variant> quantised_variants();

importer::ImportedModel import_variant(const Variant& variant);
/// Built, written, loaded and removed from disk again. Throws Error.
std::shared_ptr<const engine::Engine> build_engine(const Variant& variant);
std::shared_ptr<const engine::Engine> build_engine(ir::Graph graph, ModelInfo model,
                                                   const builder::BuildOptions& options = {});

inline constexpr int64_t kMaxStepTokens = 96;
inline constexpr int64_t kMaxSequences = 8;
inline constexpr int64_t kMaxContext = 144;

struct RunOptions {
  int threads = 1;
  CpuLevel level = best_cpu_level();
  int64_t blocks = 64;
};

/// An engine at work: context, pool and prefix index.
struct Runner {
  Runner(std::shared_ptr<const engine::Engine> loaded, DType kv, const RunOptions& options = {});

  kvcache::SequenceCache sequence() { return {pool, nullptr}; }
  kvcache::SequenceCache indexed_sequence() { return {pool, &index}; }
  /// A step that must succeed (throws Error otherwise) with logits of every token.
  void step(std::span<const runtime::SequenceStep> steps);
  void step(kvcache::SequenceCache& cache, std::span<const int32_t> tokens);

  HugeMemory memory;
  std::shared_ptr<const engine::Engine> engine;
  std::unique_ptr<runtime::Context> context;
  kvcache::BlockPool pool;
  kvcache::PrefixIndex index;
};

}  // namespace legato::invariants
