#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "device/cpu/cpu_level.h"
#include "engine/schema.h"
#include "ir/graph.h"
#include "tensor/dtype.h"

namespace legato::builder {

struct BuildOptions {
  /// Of the weights: f32, f16, bf16, w8 or w4; none: as the source has them.
  std::optional<DType> precision;
  /// Of the embedding and of the output matrix; none: as `precision`, but w8 where that is w4.
  std::optional<DType> embed_precision;
  std::optional<DType> head_precision;
  std::optional<int64_t> group;   ///< columns that share a scale in w4; none: 32, the only one here
  std::optional<DType> kv_dtype;  ///< none: f32 for an f32 engine, bf16 for bf16, f16 otherwise
  std::optional<CpuLevel> required_level;  ///< none: any x86-64 runs it
  int64_t max_step_tokens = 512;           ///< profile of "tokens"
  std::vector<std::string> disabled_passes;
  bool require_kv_cache = false;
  Progress progress;
};

struct PassRecord {
  std::string name;
  int64_t rewrites = 0;
  double ms = 0;
};

struct BuildReport {
  uint64_t bytes = 0;
  double seconds = 0;
  bool kv_bound = false;
  std::string kv_reason;  ///< why no cache could be bound, when it could not
  int64_t kv_layers = 0;
  uint64_t kv_bytes_per_token = 0;
  std::string precision;
  std::vector<PassRecord> passes;
};

/// A graph to compile and what the engine should carry beside it.
struct BuildInput {
  ir::Graph graph;
  ModelInfo model;
  std::string tokenizer;  ///< serialised, or empty
  /// Throws where the source of the weights is no longer what it was; asked before the engine gets
  /// its name. May be empty.
  std::function<void()> check_source;
};

/// Runs the passes, chooses tactics, plans memory and writes the engine. Throws Error; nothing
/// half-written is left.
BuildReport build(BuildInput input, const BuildOptions& options,
                  const std::filesystem::path& output);

/// The plan alone: the spec that build() would write (weights with offsets), without touching
/// weight data.
engine::EngineSpec plan_spec(BuildInput input, const BuildOptions& options);

}  // namespace legato::builder
