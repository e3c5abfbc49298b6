#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kvcache/block_pool.h"

namespace legato::kvcache {

/// Finds full blocks that hold the keys and values of an equal token prefix. Blocks are keyed by a
/// hash chained over all tokens before them and a salt; a hit compares the tokens, the salt and the
/// identity of the block before, so a collision can't leak another sequence's cache. The index
/// holds one reference on each block it knows; evict() gives the least recently used ones back.
/// All memory but that of long salts is taken by the constructor. One thread.
class PrefixIndex {
 public:
  using HashFunction = uint64_t (*)(std::span<const std::byte> bytes, uint64_t seed);

  /// `hash` is a parameter so that tests can force collisions; null takes XXH3 with a seed that
  /// differs from run to run, so that nobody can prepare colliding prompts.
  explicit PrefixIndex(BlockPool& pool, HashFunction hash = nullptr);
  ~PrefixIndex();
  PrefixIndex(const PrefixIndex&) = delete;
  PrefixIndex& operator=(const PrefixIndex&) = delete;

  /// The longest run of known blocks that `tokens` begins with, each with a reference added for the
  /// caller.
  std::vector<BlockId> match(std::span<const int32_t> tokens, std::string_view salt);
  /// Makes a full block findable: it holds `tokens` (kBlockTokens of them) after `parent`, a block
  /// that the index knows (kNoBlock: `tokens` begin the sequence). Returns the block that the index
  /// knows for this prefix: `block`, or an older one with the same contents. References of the
  /// caller don't change.
  BlockId insert(BlockId parent, std::span<const int32_t> tokens, BlockId block,
                 std::string_view salt);
  /// Forgets least recently used leaf blocks that only the index holds until `count` blocks were
  /// freed or none is left; returns how many were freed.
  int64_t evict(int64_t count);
  /// How many blocks evict() could free now.
  int64_t evictable();
  /// Blocks that the index knows.
  int64_t size() const { return size_; }
  bool contains(BlockId block) const { return entry(block).known; }
  /// kInternal naming the block when links, counts or references contradict each other.
  Status check_integrity() const;

 private:
  /// What is known of a block; one for every block of the pool, so that nothing is allocated later.
  struct Entry {
    bool known = false;
    uint64_t hash = 0;
    std::array<int32_t, kBlockTokens> tokens{};
    std::string salt;  // of entries without parent
    BlockId parent = kNoBlock;
    int32_t children = 0;
    uint64_t last_use = 0;
    uint64_t mark = 0;  // scratch of evictable()
    BlockId next_in_bucket = kNoBlock;
    BlockId older = kNoBlock, newer = kNoBlock;  // neighbours in the list of leaves
  };

  const Entry& entry(BlockId block) const { return entries_[static_cast<size_t>(block)]; }
  Entry& entry(BlockId block) { return entries_[static_cast<size_t>(block)]; }
  BlockId& bucket(uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  uint64_t hash_after(BlockId parent, std::span<const int32_t> tokens, std::string_view salt) const;
  BlockId find(uint64_t hash, BlockId parent, std::span<const int32_t> tokens,
               std::string_view salt);
  void touch(BlockId block);
  void link_leaf(BlockId block);
  void unlink_leaf(BlockId block);
  void forget_leaf(BlockId block);

  BlockPool* pool_;
  HashFunction hash_;
  uint64_t seed_;
  std::vector<Entry> entries_;    // by BlockId
  std::vector<BlockId> buckets_;  // heads of chains through next_in_bucket
  BlockId oldest_leaf_ = kNoBlock, newest_leaf_ = kNoBlock;
  int64_t size_ = 0;
  uint64_t clock_ = 0;
  uint64_t marks_ = 0;
};

}  // namespace legato::kvcache
