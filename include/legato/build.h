#pragma once

#include <optional>
#include <string>
#include <vector>

#include "legato/types.h"

namespace legato {
inline namespace v1 {

struct BuildOptions {
  /// Of the weights: f32, f16, bf16, w8 or w4. None: as the model has them.
  std::optional<DataType> precision;
  /// Of the embedding, and of the matrix that gives the logits; one table that is both (tied) takes
  /// one type. None: as `precision`, but w8 where that is w4.
  std::optional<DataType> embed_precision;
  std::optional<DataType> head_precision;
  /// Columns that share a scale in w4; none: 32, the only one on the CPU.
  std::optional<int64_t> group;
  /// Of the cache by default; none: f32 for an f32 engine, bf16 for bf16, f16 otherwise.
  std::optional<DataType> kv_type;
  /// "sse2", "avx2", "avx512" or "avx512vnni": refuse to run on less. Empty: any x86-64 runs it.
  std::string required_cpu_level;
  /// The most tokens that one step of the engine may take.
  int64_t max_step_tokens = 512;
  /// Names of compiler passes to leave out.
  std::vector<std::string> disabled_passes;
  /// Fail, naming the node that stopped it, when no KV cache can be bound.
  bool require_kv_cache = false;
  ProgressCallback progress;
};

struct BuildPass {
  std::string name;
  int64_t rewrites = 0;
  double ms = 0;
};

struct BuildReport {
  uint64_t bytes = 0;  ///< of the engine file
  double seconds = 0;
  bool kv_bound = false;
  std::string kv_reason;  ///< why no cache could be bound, when it could not
  int64_t kv_layers = 0;
  uint64_t kv_bytes_per_token = 0;
  std::string precision;
  std::vector<BuildPass> passes;
};

/// Compiles a Hugging Face model folder or a GGUF file to an engine file. Nothing half-written is
/// left behind.
LEGATO_API Result<BuildReport> build_engine(const std::string& source, const std::string& output,
                                            const BuildOptions& options = {});

/// An engine of a known shape ("llama-3.2-1b" ...) or of a config.json, with random weights by a
/// fixed seed and no tokenizer: for measuring without weight files.
LEGATO_API Result<BuildReport> build_random_engine(const std::string& shape,
                                                   const std::string& output,
                                                   const BuildOptions& options = {});

/// Names that build_random_engine() knows.
LEGATO_API std::vector<std::string> random_engine_shapes();

}  // namespace v1
}  // namespace legato
