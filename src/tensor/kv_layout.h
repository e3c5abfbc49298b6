#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace legato {

/// What the cache holds for one attention layer.
struct KvLayerSpec {
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  int32_t window = 0;  ///< 0: every position is visible; else position p sees (p - window, p]
  int32_t sinks = 0;   ///< the first `sinks` positions stay visible beside the window
  bool operator==(const KvLayerSpec& other) const = default;
};

/// Tokens that one block of the cache holds.
inline constexpr int64_t kBlockTokens = 32;

/// Where keys and values of a block lie. A block holds kBlockTokens consecutive positions of one
/// sequence for all layers: for each layer all keys, then all values; within them one kv head after
/// the other. Keys of a head: [head_dim][kBlockTokens], so that scores of neighbouring tokens come
/// out as one vector. Values of a head: [kBlockTokens][head_dim].
class KvLayout {
 public:
  KvLayout() = default;
  KvLayout(std::vector<KvLayerSpec> layers, DType dtype);

  const std::vector<KvLayerSpec>& layers() const { return layers_; }
  DType dtype() const { return dtype_; }
  size_t block_bytes() const { return block_bytes_; }
  /// Bytes that one token takes over all layers.
  size_t token_bytes() const { return block_bytes_ / kBlockTokens; }

  /// Byte offset within a block of the keys (values) of a head.
  size_t key_offset(int layer, int head) const {
    const KvLayerSpec& spec = layers_[static_cast<size_t>(layer)];
    return layer_offsets_[static_cast<size_t>(layer)] +
           head_bytes(spec) * static_cast<size_t>(head);
  }
  size_t value_offset(int layer, int head) const {
    const KvLayerSpec& spec = layers_[static_cast<size_t>(layer)];
    return layer_offsets_[static_cast<size_t>(layer)] +
           head_bytes(spec) * static_cast<size_t>(spec.kv_heads + head);
  }

  /// Bytes past the end of a pool that kernels may read (never use) when they load whole vectors.
  static constexpr size_t kReadSlackBytes = 256;

 private:
  size_t head_bytes(const KvLayerSpec& spec) const {
    return static_cast<size_t>(spec.head_dim) * static_cast<size_t>(kBlockTokens) *
           dtype_bytes(dtype_);
  }

  std::vector<KvLayerSpec> layers_;
  std::vector<size_t> layer_offsets_;
  DType dtype_ = DType::kF32;
  size_t block_bytes_ = 0;
};

}  // namespace legato
