#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kvcache/block_pool.h"

namespace legato::kvcache {

/// Finds full blocks that hold the keys and values of an equal token prefix. Blocks are keyed by a
/// hash chained over all tokens before them and a salt; a hit compares the tokens themselves, so a
/// collision can't leak another sequence's cache. The index holds one reference on each block it
/// knows; evict() gives the least recently used ones back. One thread.
class PrefixIndex {
 public:
  explicit PrefixIndex(BlockPool& pool) : pool_(&pool) {}
  ~PrefixIndex();
  PrefixIndex(const PrefixIndex&) = delete;
  PrefixIndex& operator=(const PrefixIndex&) = delete;

  /// The longest run of known blocks that `tokens` begins with, each with a reference added for the
  /// caller.
  std::vector<BlockId> match(std::span<const int32_t> tokens, std::string_view salt);
  /// Makes the full blocks of a sequence findable: blocks[i] holds tokens[i*kBlockTokens, ...).
  void insert(std::span<const int32_t> tokens, std::span<const BlockId> blocks,
              std::string_view salt);
  /// Forgets least recently used leaf blocks that only the index holds until `count` blocks were
  /// freed or none is left; returns how many were freed.
  int64_t evict(int64_t count);
  /// Blocks that the index knows.
  int64_t size() const;

 private:
  struct Entry;
  BlockPool* pool_;
  std::unordered_map<uint64_t, Entry> entries_;
  uint64_t clock_ = 0;
};

}  // namespace legato::kvcache
