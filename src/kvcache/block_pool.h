#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/buffer.h"
#include "tensor/kv_layout.h"

namespace legato::kvcache {

using BlockId = int32_t;
/// Stands for "no block", for example the block before the first one.
inline constexpr BlockId kNoBlock = -1;

/// All cache memory of a device, cut into blocks of equal size once and never grown. Blocks are
/// shared by reference count. One thread (the one that schedules). Sequences and indexes point to
/// their pool: it outlives them and is not moved while they live.
class BlockPool {
 public:
  /// Allocates bytes_needed(...) from `allocator` and makes every page resident, so that memory
  /// does not grow while steps run.
  static Result<BlockPool> create(KvLayout layout, int64_t num_blocks, Allocator& allocator);
  /// num_blocks * layout.block_bytes() + KvLayout::kReadSlackBytes; kInvalidArgument unless there
  /// is at least one block and the product fits.
  static Result<uint64_t> bytes_needed(const KvLayout& layout, int64_t num_blocks);

  const KvLayout& layout() const { return layout_; }
  int64_t num_blocks() const { return static_cast<int64_t>(references_.size()); }
  int64_t num_free() const { return static_cast<int64_t>(free_.size()); }
  int64_t num_used() const { return num_blocks() - num_free(); }

  /// A block with one reference; kResourceExhausted when none is free. Its contents are arbitrary
  /// but initialised.
  Result<BlockId> acquire();
  void add_reference(BlockId block);
  /// Drops a reference; the last one frees the block. Returns whether it was the last. Releasing a
  /// free block is a programmer error.
  bool release(BlockId block);
  int32_t references(BlockId block) const { return references_[static_cast<size_t>(block)]; }
  /// Copies the contents of a whole block.
  void copy(BlockId from, BlockId to);

  std::byte* data(BlockId block) {
    return memory_.data() + static_cast<size_t>(block) * layout_.block_bytes();
  }
  const std::byte* data(BlockId block) const {
    return memory_.data() + static_cast<size_t>(block) * layout_.block_bytes();
  }
  /// Start of block 0. Valid as long as the pool is not moved.
  std::byte* base() { return memory_.data(); }

  /// kInternal naming the block unless every block is either free once or referenced.
  Status check_integrity() const;

 private:
  BlockPool() = default;
  bool in_use(BlockId block) const;

  KvLayout layout_;
  Buffer memory_;
  std::vector<int32_t> references_;
  std::vector<BlockId> free_;  // a stack: the block freed last is still in the CPU's cache
};

}  // namespace legato::kvcache
