#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "legato/build.h"
#include "legato/engine.h"

namespace legato {
inline namespace v1 {

struct SessionOptions {
  int threads = 0;        ///< 0: usable cores
  std::string cpu_level;  ///< "sse2" ... ; empty: the best that the machine has
  int64_t max_sequences = 1;
  int64_t max_context = 0;  ///< positions of the longest sequence; 0: the model's context
  /// Tokens of one step; 0: 256 or max_sequences, at most what the engine was built for.
  int64_t max_step_tokens = 0;
  int64_t max_logit_rows = 0;       ///< rows of logits of one step; 0: max_sequences
  int64_t kv_blocks = 0;            ///< of the pool; 0: max_sequences sequences of max_context
  std::optional<DataType> kv_type;  ///< f32, f16 or bf16; none: the engine's default
  bool prefix_cache = false;        ///< share blocks among sequences that begin equally
  MemorySource* memory = nullptr;   ///< for cache and workspace
};

/// What a session will take, before it exists.
struct MemoryPlan {
  uint64_t weights_bytes = 0;
  uint64_t kv_bytes_per_token = 0;
  uint64_t kv_bytes = 0;
  uint64_t workspace_bytes = 0;
  int64_t max_tokens = 0;   ///< positions that the pool holds
  int64_t max_context = 0;  ///< positions of one sequence
};

/// kInvalidArgument when an option is out of its range for this engine.
LEGATO_API Result<MemoryPlan> plan_session(const Engine& engine, const SessionOptions& options);
/// The same for a model folder or a GGUF file that has not been built, or for a shape of
/// build_random_engine().
LEGATO_API Result<MemoryPlan> plan_source(const std::string& source, const BuildOptions& build,
                                          const SessionOptions& options);

/// The cached positions of one sequence. Move-only; gives its blocks back when it dies. The thread
/// that uses its session uses it.
class LEGATO_API Sequence {
 public:
  Sequence(Sequence&&) noexcept;
  Sequence& operator=(Sequence&&) noexcept;
  ~Sequence();

  /// Positions in the cache.
  int64_t length() const;
  /// Their tokens.
  std::span<const int32_t> tokens() const;
  /// Blocks of the pool that it uses, in order of positions.
  std::span<const int32_t> blocks() const;
  /// Only when empty, with a prefix cache: adopts blocks of an equal prefix and returns the
  /// positions taken, at most tokens.size() - 1. The caller steps the rest.
  int64_t reuse_prefix(std::span<const int32_t> tokens);
  /// Forgets all positions from `length` on.
  Status truncate(int64_t length);
  /// A second sequence with the same contents that shares all blocks.
  Result<Sequence> fork() const;
  /// Tokens and cache as bytes; Session::restore() reads them back.
  Result<std::string> save() const;

  struct Impl;
  Impl* impl() const { return impl_.get(); }
  explicit Sequence(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

/// What one sequence does in a step: its next tokens, and where logits are wanted.
struct StepItem {
  enum class Logits : uint8_t { kNone, kLast, kAll };
  Sequence* sequence = nullptr;
  std::span<const int32_t> tokens;
  Logits logits = Logits::kLast;
};

/// Time that one layer took since the last reset.
struct LayerTime {
  double seconds = 0;          ///< in the kernel
  double barrier_seconds = 0;  ///< waiting after it for the other threads
  int64_t launches = 0;
};

/// Runs sequences on an engine: threads, workspace and cache. All memory is taken by create();
/// steps allocate nothing. Move-only; one thread at a time.
class LEGATO_API Session {
 public:
  static Result<Session> create(const Engine& engine, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// An empty sequence. Sequences with different salts never share a prefix.
  Sequence open_sequence(const std::string& salt = "");
  /// A sequence from Sequence::save()'s bytes, which are judged: layout, engine, checksum.
  Result<Sequence> restore(std::span<const std::byte> bytes, const std::string& salt = "");

  /// One ragged step: all tokens of all items, prefill and decode in any mix. All or nothing: on
  /// failure no sequence has changed.
  Status step(std::span<const StepItem> items);
  /// Any number of tokens of one sequence, cut into steps; logits of the last one are kept.
  Status append(Sequence& sequence, std::span<const int32_t> tokens);
  /// Logits of the last step: one row of vocab_size for each position asked, in order.
  int64_t logit_rows() const;
  std::span<const float> logits(int64_t row = 0) const;

  /// Options with every default filled in.
  const SessionOptions& options() const;
  const Engine& engine() const;
  MemoryPlan memory() const;
  int64_t num_blocks() const;
  int64_t num_used_blocks() const;
  /// Blocks that only the prefix cache holds on to.
  int64_t num_cached_blocks() const;
  /// Gives up the blocks that only the prefix cache holds.
  void drop_prefix_cache();

  /// Times every kernel from now on.
  void enable_profile(bool enabled);
  void reset_profile();
  /// One entry a layer of Engine::layers().
  std::vector<LayerTime> profile() const;
  /// Layers with the bytes and operations of a step of so many tokens, each seeing `context`.
  std::vector<EngineLayer> layer_costs(int64_t tokens, int64_t logit_rows, int64_t context) const;

  struct Impl;

 private:
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace legato
