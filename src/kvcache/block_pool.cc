#include "kvcache/block_pool.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/checked.h"

namespace legato::kvcache {
namespace {

constexpr size_t kPageBytes = 4096;

}  // namespace

Result<uint64_t> BlockPool::bytes_needed(const KvLayout& layout, int64_t num_blocks) {
  if (num_blocks < 1 || num_blocks > std::numeric_limits<BlockId>::max())
    return fail(Code::kInvalidArgument, "cache",
                fmt::format("{} blocks, expected 1 to {}", num_blocks,
                            std::numeric_limits<BlockId>::max()));
  const auto bytes = checked_mul<uint64_t>(static_cast<uint64_t>(num_blocks), layout.block_bytes());
  const auto total = bytes ? checked_add<uint64_t>(*bytes, KvLayout::kReadSlackBytes) : bytes;
  if (!total)
    return fail(Code::kInvalidArgument, "cache",
                fmt::format("{} blocks of {} bytes are more than 2^64 bytes", num_blocks,
                            layout.block_bytes()));
  return *total;
}

Result<BlockPool> BlockPool::create(KvLayout layout, int64_t num_blocks, Allocator& allocator) {
  LEGATO_ASSIGN_OR_RETURN(const uint64_t bytes, bytes_needed(layout, num_blocks));
  BlockPool pool;
  pool.layout_ = std::move(layout);
  LEGATO_ASSIGN_OR_RETURN(pool.memory_, allocator.allocate(bytes));
  for (size_t offset = 0; offset < bytes; offset += kPageBytes)
    pool.memory_.data()[offset] = std::byte{0};
  pool.references_.assign(static_cast<size_t>(num_blocks), 0);
  pool.free_.reserve(static_cast<size_t>(num_blocks));
  for (int64_t block = num_blocks - 1; block >= 0; --block)
    pool.free_.push_back(static_cast<BlockId>(block));
  return pool;
}

bool BlockPool::in_use(BlockId block) const {
  return block >= 0 && block < num_blocks() && references(block) > 0;
}

Result<BlockId> BlockPool::acquire() {
  if (free_.empty())
    return fail(Code::kResourceExhausted, "cache",
                fmt::format("all {} blocks are in use", num_blocks()));
  const BlockId block = free_.back();
  free_.pop_back();
  references_[static_cast<size_t>(block)] = 1;
  return block;
}

void BlockPool::add_reference(BlockId block) {
  LEGATO_CHECK(in_use(block));
  ++references_[static_cast<size_t>(block)];
}

bool BlockPool::release(BlockId block) {
  LEGATO_CHECK(in_use(block));
  if (--references_[static_cast<size_t>(block)] > 0) return false;
  free_.push_back(block);
  return true;
}

void BlockPool::copy(BlockId from, BlockId to) {
  LEGATO_CHECK(in_use(from) && in_use(to) && from != to);
  std::memcpy(data(to), data(from), layout_.block_bytes());
}

Status BlockPool::check_integrity() const {
  std::vector<bool> seen(references_.size(), false);
  for (const BlockId block : free_) {
    if (block < 0 || block >= num_blocks())
      return fail(Code::kInternal, "cache", fmt::format("free list holds block {}", block));
    if (seen[static_cast<size_t>(block)])
      return fail(Code::kInternal, "cache", fmt::format("block {} is free twice", block));
    seen[static_cast<size_t>(block)] = true;
  }
  for (size_t block = 0; block < references_.size(); ++block) {
    if (seen[block] != (references_[block] == 0))
      return fail(Code::kInternal, "cache",
                  fmt::format("block {} has {} references and is {}", block, references_[block],
                              seen[block] ? "free" : "not free"));
  }
  return {};
}

}  // namespace legato::kvcache
