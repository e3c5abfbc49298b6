#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "kvcache/block_pool.h"
#include "kvcache/prefix_index.h"

namespace legato::kvcache {

/// The cached positions of one sequence: its tokens and its block table. Move-only; gives its
/// blocks back when it dies. Pool and index outlive it. One thread.
class SequenceCache {
 public:
  /// With an index (may be null) full blocks become findable for other sequences of equal `salt`.
  SequenceCache(BlockPool& pool, PrefixIndex* index, std::string salt = "");
  SequenceCache(SequenceCache&& other) noexcept;
  SequenceCache& operator=(SequenceCache&& other) noexcept;
  ~SequenceCache();

  BlockPool& pool() const { return *pool_; }
  /// Positions whose keys and values are in the cache.
  int64_t length() const { return static_cast<int64_t>(tokens_.size()); }
  std::span<const int32_t> tokens() const { return tokens_; }
  /// Blocks of all positions, and behind them those that reserve() took.
  std::span<const BlockId> blocks() const { return blocks_; }

  /// Takes the memory of the tables for `positions` at once, so that growing to that length
  /// allocates nothing.
  void prepare(int64_t positions);
  /// Adopts cached blocks of an equal prefix (only when empty; at most tokens.size() - 1 positions,
  /// so that something is left to compute logits from). Returns the positions taken.
  int64_t adopt_prefix(std::span<const int32_t> tokens);
  /// Blocks that appending `count` tokens takes from the pool, copies of shared blocks included.
  int64_t blocks_needed(int64_t count) const;
  /// Makes room for `count` more positions: a shared last block is copied first, new blocks are
  /// acquired (evicting from the prefix index if need be). All or nothing: kResourceExhausted
  /// leaves everything as it was.
  Status reserve(int64_t count);
  /// Records that a step has written these tokens; their room was reserved. Full blocks go into the
  /// prefix index; where it knows an equal block already, that one is shared from now on.
  void commit(std::span<const int32_t> tokens);
  /// Forgets all positions from `length` on, frees what they held alone and what was reserved;
  /// kInvalidArgument beyond length().
  Status truncate(int64_t length);
  /// A second sequence with the same contents that shares all blocks.
  SequenceCache fork() const;
  void clear();

  /// Tokens, lengths and block contents as bytes, and back into fresh blocks. restore() judges
  /// every field before it takes any memory and names a mismatch of version, layout, engine
  /// fingerprint or checksum. What was restored never enters the prefix index: nobody can vouch
  /// that these bytes are what the engine would compute.
  Result<std::string> save(const std::string& fingerprint) const;
  static Result<SequenceCache> restore(std::span<const std::byte> bytes,
                                       const std::string& fingerprint, BlockPool& pool,
                                       PrefixIndex* index, std::string salt = "");

 private:
  int64_t blocks_in_use() const;
  bool shares_partial_block() const;
  Status make_free(int64_t count) const;
  BlockId acquire();
  void index_full_blocks();

  BlockPool* pool_;
  PrefixIndex* index_;
  std::string salt_;
  std::vector<int32_t> tokens_;
  std::vector<BlockId> blocks_;
  int64_t indexed_blocks_ = 0;  // the first ones, which the index knows by these very ids
  bool computed_here_ = true;   // and not restored from bytes
};

}  // namespace legato::kvcache
