#include "kvcache/sequence_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/checked.h"

namespace legato::kvcache {

SequenceCache::SequenceCache(BlockPool& pool, PrefixIndex* index, std::string salt)
    : pool_(&pool), index_(index), salt_(std::move(salt)) {}

SequenceCache::SequenceCache(SequenceCache&& other) noexcept
    : pool_(other.pool_),
      index_(other.index_),
      salt_(std::move(other.salt_)),
      tokens_(std::exchange(other.tokens_, {})),
      blocks_(std::exchange(other.blocks_, {})),
      indexed_blocks_(std::exchange(other.indexed_blocks_, 0)),
      computed_here_(other.computed_here_) {}

SequenceCache& SequenceCache::operator=(SequenceCache&& other) noexcept {
  if (this == &other) return *this;
  clear();
  pool_ = other.pool_;
  index_ = other.index_;
  salt_ = std::move(other.salt_);
  tokens_ = std::exchange(other.tokens_, {});
  blocks_ = std::exchange(other.blocks_, {});
  indexed_blocks_ = std::exchange(other.indexed_blocks_, 0);
  computed_here_ = other.computed_here_;
  return *this;
}

SequenceCache::~SequenceCache() { clear(); }

void SequenceCache::prepare(int64_t positions) {
  tokens_.reserve(static_cast<size_t>(positions));
  blocks_.reserve(static_cast<size_t>(ceil_div(positions, kBlockTokens)));
}

int64_t SequenceCache::blocks_in_use() const { return ceil_div(length(), kBlockTokens); }

bool SequenceCache::shares_partial_block() const {
  return length() % kBlockTokens != 0 &&
         pool_->references(blocks_[static_cast<size_t>(blocks_in_use() - 1)]) > 1;
}

int64_t SequenceCache::adopt_prefix(std::span<const int32_t> tokens) {
  LEGATO_CHECK(tokens_.empty());
  if (index_ == nullptr || tokens.empty() || !computed_here_) return 0;
  clear();
  const std::vector<BlockId> found = index_->match(tokens.first(tokens.size() - 1), salt_);
  blocks_.assign(found.begin(), found.end());
  indexed_blocks_ = static_cast<int64_t>(found.size());
  const auto taken = tokens.first(found.size() * kBlockTokens);
  tokens_.assign(taken.begin(), taken.end());
  return length();
}

int64_t SequenceCache::blocks_needed(int64_t count) const {
  if (count <= 0) return 0;
  const int64_t wanted = ceil_div(length() + count, kBlockTokens);
  const int64_t present = static_cast<int64_t>(blocks_.size());
  return (wanted > present ? wanted - present : 0) + (shares_partial_block() ? 1 : 0);
}

Status SequenceCache::make_free(int64_t count) const {
  const int64_t missing = count - pool_->num_free();
  if (missing <= 0) return {};
  const int64_t evictable = index_ == nullptr ? 0 : index_->evictable();
  if (evictable < missing)
    return fail(Code::kResourceExhausted, "cache",
                fmt::format("{} more blocks are needed, {} of {} are free or can be freed", count,
                            pool_->num_free() + evictable, pool_->num_blocks()));
  LEGATO_CHECK(index_->evict(missing) == missing);
  return {};
}

BlockId SequenceCache::acquire() {
  const Result<BlockId> block = pool_->acquire();
  LEGATO_CHECK(block.ok());
  return *block;
}

Status SequenceCache::reserve(int64_t count) {
  LEGATO_CHECK(count >= 0);
  if (count == 0) return {};
  LEGATO_RETURN_IF_ERROR(make_free(blocks_needed(count)));
  if (shares_partial_block()) {
    BlockId& last = blocks_[static_cast<size_t>(blocks_in_use() - 1)];
    const BlockId copy = acquire();
    pool_->copy(last, copy);
    pool_->release(last);
    last = copy;
  }
  const auto wanted = static_cast<size_t>(ceil_div(length() + count, kBlockTokens));
  while (blocks_.size() < wanted) blocks_.push_back(acquire());
  return {};
}

void SequenceCache::commit(std::span<const int32_t> tokens) {
  LEGATO_CHECK(tokens_.size() + tokens.size() <= blocks_.size() * kBlockTokens);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  if (index_ != nullptr && computed_here_) index_full_blocks();
}

void SequenceCache::index_full_blocks() {
  for (; (indexed_blocks_ + 1) * kBlockTokens <= length(); ++indexed_blocks_) {
    const auto i = static_cast<size_t>(indexed_blocks_);
    const BlockId parent = i == 0 ? kNoBlock : blocks_[i - 1];
    const BlockId known = index_->insert(
        parent, std::span(tokens_).subspan(i * kBlockTokens, kBlockTokens), blocks_[i], salt_);
    if (known == blocks_[i]) continue;
    pool_->add_reference(known);
    pool_->release(blocks_[i]);
    blocks_[i] = known;
  }
}

Status SequenceCache::truncate(int64_t length) {
  if (length < 0 || length > this->length())
    return fail(Code::kInvalidArgument, "length",
                fmt::format("{}, expected 0 to {}, the cached positions", length, this->length()));
  tokens_.resize(static_cast<size_t>(length));
  while (static_cast<int64_t>(blocks_.size()) > blocks_in_use()) {
    pool_->release(blocks_.back());
    blocks_.pop_back();
  }
  indexed_blocks_ = std::min(indexed_blocks_, length / kBlockTokens);
  return {};
}

SequenceCache SequenceCache::fork() const {
  SequenceCache copy(*pool_, index_, salt_);
  copy.tokens_ = tokens_;
  copy.blocks_.assign(blocks_.begin(), blocks_.begin() + blocks_in_use());
  for (const BlockId block : copy.blocks_) pool_->add_reference(block);
  copy.indexed_blocks_ = indexed_blocks_;
  copy.computed_here_ = computed_here_;
  return copy;
}

void SequenceCache::clear() {
  for (const BlockId block : blocks_) pool_->release(block);
  blocks_.clear();
  tokens_.clear();
  indexed_blocks_ = 0;
}

}  // namespace legato::kvcache
