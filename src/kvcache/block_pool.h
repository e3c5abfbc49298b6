#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/buffer.h"
#include "tensor/kv_layout.h"

namespace legato::kvcache {

using BlockId = int32_t;

/// All cache memory of a device, cut into blocks of equal size once and never grown. Blocks are
/// shared by reference count. One thread (the one that schedules).
class BlockPool {
 public:
  /// Allocates num_blocks * layout.block_bytes() (+ KvLayout::kReadSlackBytes) from `allocator`.
  static Result<BlockPool> create(KvLayout layout, int64_t num_blocks, Allocator& allocator);

  const KvLayout& layout() const { return layout_; }
  int64_t num_blocks() const { return static_cast<int64_t>(references_.size()); }
  int64_t num_free() const { return static_cast<int64_t>(free_.size()); }
  int64_t num_used() const { return num_blocks() - num_free(); }

  /// A block with one reference; kResourceExhausted when none is free. Its contents are arbitrary
  /// but initialised.
  Result<BlockId> acquire();
  void add_reference(BlockId block);
  /// Drops a reference; the last one frees the block. Returns whether it was the last.
  bool release(BlockId block);
  int32_t references(BlockId block) const { return references_[static_cast<size_t>(block)]; }
  /// Copies the contents of a whole block.
  void copy(BlockId from, BlockId to);

  std::byte* data(BlockId block) {
    return memory_.data() + static_cast<size_t>(block) * layout_.block_bytes();
  }
  /// Start of block 0. Valid as long as the pool is not moved.
  std::byte* base() { return memory_.data(); }

 private:
  BlockPool() = default;

  KvLayout layout_;
  Buffer memory_;
  std::vector<int32_t> references_;
  std::vector<BlockId> free_;
};

}  // namespace legato::kvcache
