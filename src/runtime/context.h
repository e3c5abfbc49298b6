#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/buffer.h"
#include "device/cpu/cpu_level.h"
#include "engine/engine.h"
#include "kernels/tactic.h"
#include "kvcache/sequence_cache.h"

namespace legato::runtime {

struct ContextOptions {
  int threads = 0;                       ///< 0: usable cores
  CpuLevel cpu_level = CpuLevel::kSse2;  ///< that kernels are chosen for
  int64_t max_tokens = 512;              ///< packed tokens of one step
  int64_t max_logit_rows = 1;
  int64_t max_sequences = 1;
  int64_t max_context = 1;  ///< positions of the longest sequence
};

/// What one sequence does in a step: its next tokens, and whether logits are wanted.
struct SequenceStep {
  kvcache::SequenceCache* cache = nullptr;
  std::span<const int32_t> tokens;
  enum class Logits { kNone, kLast, kAll } logits = Logits::kLast;
};

/// Times of one kernel for the profile, taken on the thread that calls step().
struct KernelTime {
  double seconds = 0;          ///< summed over launches since reset
  double barrier_seconds = 0;  ///< waiting after it for the other threads
  int64_t launches = 0;
};

/// What a context will take before it exists: what `plan` adds up.
struct ContextBytes {
  uint64_t workspace = 0;  ///< activations, kernels' scratch, logits, step buffers
};

/// Executes the steps of one engine on one device. All memory is taken by create(); step()
/// allocates nothing and starts no threads. One thread at a time calls step().
class Context {
 public:
  static Result<std::unique_ptr<Context>> create(std::shared_ptr<const engine::Engine> engine,
                                                 const ContextOptions& options,
                                                 Allocator& allocator);
  /// The same arithmetic without allocating: what create() would take.
  static Result<ContextBytes> predict(const engine::EngineSpec& spec, const ContextOptions& options,
                                      const Allocator& allocator);
  ~Context();

  /// Runs all tokens of all sequences through the engine: reserves cache room, computes, commits.
  /// All or nothing: on failure no sequence has changed. Ids outside the vocabulary, a context that
  /// is full, more tokens, rows or sequences than the limits, one cache twice: kInvalidArgument /
  /// kResourceExhausted naming both numbers. All caches belong to one pool.
  Status step(std::span<const SequenceStep> sequences);
  /// Logits of the last step, one row of vocab_size floats for each asked position, in order.
  std::span<const float> logits() const;
  int64_t logit_rows() const;

  const engine::Engine& engine() const;
  const ContextOptions& options() const;  ///< with the number of threads that 0 stood for
  uint64_t workspace_bytes() const;

  /// Times every kernel from now on (costs two clock reads a launch).
  void enable_profile(bool enabled);
  /// One entry a step of the engine.
  std::span<const KernelTime> profile() const;
  void reset_profile();
  /// Bytes and operations of each step of the engine for a step of this size.
  std::vector<kernels::Cost> costs(const kernels::StepSize& size) const;

 private:
  class Impl;
  explicit Context(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace legato::runtime
