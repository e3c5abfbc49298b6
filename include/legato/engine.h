#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "legato/memory.h"
#include "legato/sampling.h"
#include "legato/text.h"
#include "legato/types.h"

namespace legato {
inline namespace v1 {

struct LoadOptions {
  int threads = 0;                 ///< that read and checksum; 0: usable cores
  std::string cpu_level;           ///< "sse2" ... ; empty: the best that the machine has
  MemorySource* memory = nullptr;  ///< for the weights
  ProgressCallback progress;
};

/// What an engine says of itself.
struct EngineInfo {
  std::string path;
  uint32_t format_version = 0;
  std::string fingerprint;
  uint64_t file_bytes = 0;
  std::string device;              ///< "cpu"
  std::string required_cpu_level;  ///< "sse2": any x86-64
  std::string precision;           ///< of most weights: "fp32", "fp16", "bf16", "w8", "q4_k" ...
  std::string build_options;       ///< canonical text of what shaped the engine
  std::vector<EngineSection> sections;

  std::string architecture;  ///< model_type of the source, for example "llama"
  int64_t vocab_size = 0;
  int64_t max_context = 0;  ///< positions that the model can tell apart
  std::vector<int32_t> eos_ids;
  std::optional<int32_t> bos_id;
  std::optional<int32_t> pad_id;
  SamplingParams generation;  ///< what the model's authors recommend; temperature 0: greedy

  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::vector<EngineProfile> profiles;
  int64_t kv_layers = 0;
  DataType kv_type = DataType::kF32;  ///< of the cache unless a session asks for another
  uint64_t weights_bytes = 0;
  std::vector<EngineWeights> weights;  ///< by type, that with most bytes first
  int64_t longest_reduction = 1;       ///< terms of the longest sum of a matrix product
  bool has_tokenizer = false;
};

/// An engine file, open or loaded: immutable, a handle that is cheap to copy, shared by any number
/// of sessions and threads.
class LEGATO_API Engine {
 public:
  /// Judges everything but the bytes of the weights: for looking and planning.
  static Result<Engine> open(const std::string& path);
  /// Loads the weights too, each byte of the file checksummed before use. The file may be replaced
  /// or removed at any moment, but not be written into before wait_until_settled() has returned
  /// success: the process ends when it reads what was cut off.
  static Result<Engine> load(const std::string& path, const LoadOptions& options = {});

  const EngineInfo& info() const;
  bool loaded() const;
  /// Weights are ready at once, in the file's pages, and move into huge pages in the background,
  /// where they are read faster (not with a MemorySource, which gets them before load() returns).
  /// Waits for that; kResourceExhausted when memory was lacking and some stay where they are.
  Status wait_until_settled() const;
  /// Bytes of a token in the cache over all layers.
  uint64_t kv_bytes_per_token(std::optional<DataType> type = std::nullopt) const;
  /// Where keys and values of each layer lie in a block of the cache.
  std::vector<KvBinding> kv_bindings(std::optional<DataType> type = std::nullopt) const;
  /// The kernel launches of a step; bytes and operations are those of one token that sees
  /// `context` positions.
  Result<std::vector<EngineLayer>> layers(int64_t context = 0) const;
  /// kNotFound when the engine has none (random weights, a model without text).
  Result<Tokenizer> tokenizer() const;

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  explicit Engine(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace v1
}  // namespace legato
