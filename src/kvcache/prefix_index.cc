#include "kvcache/prefix_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>

#include "base/check.h"
#include "base/hash.h"

namespace legato::kvcache {
namespace {

uint64_t random_seed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

}  // namespace

PrefixIndex::PrefixIndex(BlockPool& pool, HashFunction hash)
    : pool_(&pool),
      hash_(hash != nullptr ? hash : hash_bytes),
      seed_(random_seed()),
      entries_(static_cast<size_t>(pool.num_blocks())),
      buckets_(std::bit_ceil(static_cast<size_t>(pool.num_blocks())), kNoBlock) {}

PrefixIndex::~PrefixIndex() {
  for (BlockId block = 0; block < pool_->num_blocks(); ++block) {
    if (entry(block).known) pool_->release(block);
  }
}

uint64_t PrefixIndex::hash_after(BlockId parent, std::span<const int32_t> tokens,
                                 std::string_view salt) const {
  const uint64_t before =
      parent == kNoBlock ? hash_(std::as_bytes(std::span(salt)), seed_) : entry(parent).hash;
  return hash_(std::as_bytes(tokens), before);
}

BlockId PrefixIndex::find(uint64_t hash, BlockId parent, std::span<const int32_t> tokens,
                          std::string_view salt) {
  for (BlockId block = bucket(hash); block != kNoBlock; block = entry(block).next_in_bucket) {
    const Entry& candidate = entry(block);
    // Equal parents are equal prefixes: a parent stays as long as it has children.
    if (candidate.hash == hash && candidate.parent == parent &&
        std::equal(tokens.begin(), tokens.end(), candidate.tokens.begin()) &&
        (parent != kNoBlock || candidate.salt == salt))
      return block;
  }
  return kNoBlock;
}

std::vector<BlockId> PrefixIndex::match(std::span<const int32_t> tokens, std::string_view salt) {
  std::vector<BlockId> blocks;
  BlockId parent = kNoBlock;
  ++clock_;
  while (tokens.size() >= kBlockTokens) {
    const auto head = tokens.first(kBlockTokens);
    const BlockId block = find(hash_after(parent, head, salt), parent, head, salt);
    if (block == kNoBlock) break;
    touch(block);
    pool_->add_reference(block);
    blocks.push_back(block);
    parent = block;
    tokens = tokens.subspan(kBlockTokens);
  }
  return blocks;
}

BlockId PrefixIndex::insert(BlockId parent, std::span<const int32_t> tokens, BlockId block,
                            std::string_view salt) {
  LEGATO_CHECK(tokens.size() == kBlockTokens && (parent == kNoBlock || contains(parent)));
  ++clock_;
  const uint64_t hash = hash_after(parent, tokens, salt);
  if (const BlockId known = find(hash, parent, tokens, salt); known != kNoBlock) {
    touch(known);
    return known;
  }
  Entry& added = entry(block);
  LEGATO_CHECK(!added.known);
  pool_->add_reference(block);
  added.known = true;
  added.hash = hash;
  std::copy(tokens.begin(), tokens.end(), added.tokens.begin());
  added.salt = parent == kNoBlock ? salt : std::string_view();
  added.parent = parent;
  added.children = 0;
  added.last_use = clock_;
  added.next_in_bucket = bucket(hash);
  bucket(hash) = block;
  link_leaf(block);
  if (parent != kNoBlock && entry(parent).children++ == 0) unlink_leaf(parent);
  ++size_;
  return block;
}

void PrefixIndex::touch(BlockId block) {
  entry(block).last_use = clock_;
  if (entry(block).children != 0) return;
  unlink_leaf(block);
  link_leaf(block);
}

/// Puts a leaf into the list, which is sorted by last use. Nearly always it goes to one of the
/// ends.
void PrefixIndex::link_leaf(BlockId block) {
  Entry& leaf = entry(block);
  if (newest_leaf_ == kNoBlock || entry(newest_leaf_).last_use <= leaf.last_use) {
    leaf.older = newest_leaf_;
    leaf.newer = kNoBlock;
  } else {
    leaf.newer = oldest_leaf_;
    while (entry(leaf.newer).last_use < leaf.last_use) leaf.newer = entry(leaf.newer).newer;
    leaf.older = entry(leaf.newer).older;
  }
  (leaf.older == kNoBlock ? oldest_leaf_ : entry(leaf.older).newer) = block;
  (leaf.newer == kNoBlock ? newest_leaf_ : entry(leaf.newer).older) = block;
}

void PrefixIndex::unlink_leaf(BlockId block) {
  const Entry& leaf = entry(block);
  (leaf.older == kNoBlock ? oldest_leaf_ : entry(leaf.older).newer) = leaf.newer;
  (leaf.newer == kNoBlock ? newest_leaf_ : entry(leaf.newer).older) = leaf.older;
}

void PrefixIndex::forget_leaf(BlockId block) {
  Entry& leaf = entry(block);
  unlink_leaf(block);
  BlockId* link = &bucket(leaf.hash);
  while (*link != block) link = &entry(*link).next_in_bucket;
  *link = leaf.next_in_bucket;
  if (leaf.parent != kNoBlock) {
    Entry& parent = entry(leaf.parent);
    parent.last_use = std::max(parent.last_use, leaf.last_use);
    if (--parent.children == 0) link_leaf(leaf.parent);
  }
  leaf.known = false;
  --size_;
  pool_->release(block);
}

int64_t PrefixIndex::evict(int64_t count) {
  int64_t freed = 0;
  BlockId candidate = oldest_leaf_;
  while (freed < count && candidate != kNoBlock) {
    if (pool_->references(candidate) > 1) {
      candidate = entry(candidate).newer;
      continue;
    }
    const BlockId parent = entry(candidate).parent;
    const BlockId newer = entry(candidate).newer;
    forget_leaf(candidate);
    ++freed;
    // A parent that became a leaf was used no earlier than its child. It lies behind `newer` or it
    // is the oldest of those that were not passed over.
    const bool parent_is_next =
        parent != kNoBlock && entry(parent).children == 0 &&
        (newer == kNoBlock || entry(parent).last_use <= entry(newer).last_use);
    candidate = parent_is_next ? parent : newer;
  }
  return freed;
}

int64_t PrefixIndex::evictable() {
  ++marks_;
  int64_t pinned = 0;
  for (BlockId block = 0; block < pool_->num_blocks(); ++block) {
    if (!entry(block).known || pool_->references(block) == 1) continue;
    // A block in use keeps its parents.
    for (BlockId kept = block; kept != kNoBlock && entry(kept).mark != marks_;
         kept = entry(kept).parent) {
      entry(kept).mark = marks_;
      ++pinned;
    }
  }
  return size_ - pinned;
}

Status PrefixIndex::check_integrity() const {
  const auto broken = [](BlockId block, std::string_view what) {
    return fail(Code::kInternal, "prefix index", fmt::format("block {} {}", block, what));
  };
  std::vector<int32_t> children(entries_.size(), 0);
  int64_t known = 0;
  for (BlockId block = 0; block < pool_->num_blocks(); ++block) {
    if (!contains(block)) continue;
    ++known;
    if (pool_->references(block) < 1) return broken(block, "is free");
    const BlockId parent = entry(block).parent;
    if (parent == kNoBlock) continue;
    if (!contains(parent)) return broken(block, "has lost its parent");
    ++children[static_cast<size_t>(parent)];
  }
  int64_t leaves = 0;
  uint64_t last_use = 0;
  for (BlockId leaf = oldest_leaf_; leaf != kNoBlock; leaf = entry(leaf).newer, ++leaves) {
    if (leaves > known) return broken(leaf, "closes a cycle of leaves");
    if (entry(leaf).last_use < last_use) return broken(leaf, "is not in order of use");
    last_use = entry(leaf).last_use;
  }
  for (BlockId block = 0; block < pool_->num_blocks(); ++block) {
    if (!contains(block)) continue;
    if (entry(block).children != children[static_cast<size_t>(block)])
      return broken(block, "counts its children wrongly");
    leaves -= entry(block).children == 0;
  }
  if (leaves != 0 || known != size_) return broken(kNoBlock, "is counted wrongly");
  return {};
}

}  // namespace legato::kvcache
