#include "kvcache/block_pool.h"

#include <gtest/gtest.h>

#include <set>

#include "device/cpu/huge_memory.h"

namespace legato::kvcache {
namespace {

const KvLayout kLayout({{2, 4, 0, 0}}, DType::kF16);

BlockPool make_pool(int64_t num_blocks) {
  HugeMemory memory;
  Result<BlockPool> pool = BlockPool::create(kLayout, num_blocks, memory);
  EXPECT_TRUE(pool.ok()) << pool.status().to_string();
  return std::move(pool).value();
}

TEST(BlockPool, GivesEachBlockOnceAndThenRefuses) {
  BlockPool pool = make_pool(5);
  std::set<BlockId> blocks;
  for (int i = 0; i < 5; ++i) blocks.insert(pool.acquire().value());
  EXPECT_EQ(blocks.size(), 5u);
  EXPECT_EQ(pool.num_free(), 0);
  const Result<BlockId> none = pool.acquire();
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code, Code::kResourceExhausted);
  EXPECT_EQ(none.status().to_string(), "cache: all 5 blocks are in use");
  EXPECT_TRUE(pool.check_integrity().ok());
}

TEST(BlockPool, FreeingSharedBlockKeepsIt) {
  BlockPool pool = make_pool(1);
  const BlockId block = pool.acquire().value();
  pool.add_reference(block);
  EXPECT_FALSE(pool.release(block));
  EXPECT_EQ(pool.num_used(), 1);
  EXPECT_TRUE(pool.release(block));
  EXPECT_EQ(pool.num_used(), 0);
  EXPECT_TRUE(pool.check_integrity().ok());
}

TEST(BlockPool, MemoryStartsZeroAndCopiesWholeBlocks) {
  BlockPool pool = make_pool(2);
  const size_t bytes = kLayout.block_bytes();
  EXPECT_EQ(bytes, size_t{2 * 2 * 4 * 32 * 2});
  for (size_t i = 0; i < 2 * bytes; ++i) ASSERT_EQ(pool.base()[i], std::byte{0});
  const BlockId from = pool.acquire().value(), to = pool.acquire().value();
  for (size_t i = 0; i < bytes; ++i) pool.data(from)[i] = static_cast<std::byte>(i * 7);
  pool.copy(from, to);
  for (size_t i = 0; i < bytes; ++i)
    ASSERT_EQ(pool.data(to)[i], static_cast<std::byte>(i * 7)) << i;
}

TEST(BlockPool, RefusesSizesThatNoMachineHas) {
  HugeMemory memory;
  EXPECT_EQ(BlockPool::create(kLayout, 0, memory).status().code, Code::kInvalidArgument);
  EXPECT_EQ(BlockPool::create(kLayout, -3, memory).status().code, Code::kInvalidArgument);
  EXPECT_EQ(BlockPool::create(kLayout, int64_t{1} << 40, memory).status().code,
            Code::kInvalidArgument);
  const KvLayout wide({{1 << 20, 1 << 20, 0, 0}}, DType::kF32);
  EXPECT_FALSE(BlockPool::create(wide, 1 << 30, memory).ok());
}

using BlockPoolDeathTest = ::testing::Test;

TEST(BlockPoolDeathTest, DoubleFreeIsAProgrammerError) {
  BlockPool pool = make_pool(2);
  const BlockId block = pool.acquire().value();
  pool.release(block);
  EXPECT_DEATH(pool.release(block), "in_use");
  EXPECT_DEATH(pool.release(99), "in_use");
  EXPECT_DEATH(pool.add_reference(block), "in_use");
}

}  // namespace
}  // namespace legato::kvcache
