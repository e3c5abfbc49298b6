#include "kvcache/sequence_cache.h"

#include <gtest/gtest.h>

#include <numeric>

#include "device/cpu/huge_memory.h"
#include "kvcache/marked_sequence.h"

namespace legato::kvcache {
namespace {

std::vector<int32_t> tokens_from(int32_t first, int64_t count) {
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

class SequenceCacheTest : public ::testing::Test {
 protected:
  SequenceCacheTest()
      : pool_(std::move(BlockPool::create(kMarkLayout, 12, memory_)).value()), index_(pool_) {}

  HugeMemory memory_;
  BlockPool pool_;
  PrefixIndex index_;
};

TEST_F(SequenceCacheTest, AppendTakesBlocksAndDeathGivesThemBack) {
  {
    SequenceCache cache(pool_, nullptr);
    EXPECT_EQ(cache.blocks_needed(0), 0);
    EXPECT_EQ(cache.blocks_needed(1), 1);
    EXPECT_EQ(cache.blocks_needed(33), 2);
    ASSERT_TRUE(append_marked(cache, tokens_from(0, 33), "").ok());
    EXPECT_EQ(pool_.num_used(), 2);
    EXPECT_EQ(cache.blocks_needed(31), 0);
    SequenceCache moved = std::move(cache);
    EXPECT_EQ(pool_.num_used(), 2);
    EXPECT_EQ(wrong_marks(moved, ""), 0);
  }
  EXPECT_EQ(pool_.num_used(), 0);
}

TEST_F(SequenceCacheTest, ForkSharesUntilSomebodyWrites) {
  SequenceCache first(pool_, nullptr);
  ASSERT_TRUE(append_marked(first, tokens_from(0, 40), "").ok());
  SequenceCache second = first.fork();
  EXPECT_EQ(pool_.num_used(), 2);
  EXPECT_EQ(first.blocks_needed(1), 1);  // the copy of the shared partial block
  ASSERT_TRUE(append_marked(first, tokens_from(100, 1), "").ok());
  EXPECT_EQ(pool_.num_used(), 3);
  EXPECT_EQ(second.blocks_needed(1), 0);  // alone again
  ASSERT_TRUE(append_marked(second, tokens_from(200, 1), "").ok());
  EXPECT_EQ(wrong_marks(first, "") + wrong_marks(second, ""), 0);
}

TEST_F(SequenceCacheTest, TruncateIntoASharedBlockLeavesTheOtherAlone) {
  SequenceCache first(pool_, nullptr);
  ASSERT_TRUE(append_marked(first, tokens_from(0, 70), "").ok());
  SequenceCache second = first.fork();
  ASSERT_TRUE(first.truncate(40).ok());
  EXPECT_EQ(first.blocks().size(), 2u);
  ASSERT_TRUE(append_marked(first, tokens_from(500, 10), "").ok());
  EXPECT_EQ(wrong_marks(first, "") + wrong_marks(second, ""), 0);
  const Status beyond = first.truncate(51);
  EXPECT_EQ(beyond.code, Code::kInvalidArgument);
  EXPECT_EQ(beyond.to_string(), "length: 51, expected 0 to 50, the cached positions");
  EXPECT_FALSE(first.truncate(-1).ok());
  EXPECT_EQ(first.length(), 50);
}

TEST_F(SequenceCacheTest, ReserveIsAllOrNothing) {
  SequenceCache first(pool_, &index_), second(pool_, &index_);
  ASSERT_TRUE(append_marked(first, tokens_from(0, 40), "").ok());
  SequenceCache fork = first.fork();
  ASSERT_TRUE(append_marked(second, tokens_from(900, 8 * kBlockTokens), "").ok());
  const std::vector<BlockId> before(first.blocks().begin(), first.blocks().end());
  const Status status = first.reserve(3 * kBlockTokens);
  EXPECT_EQ(status.code, Code::kResourceExhausted);
  EXPECT_EQ(status.to_string(),
            "cache: 4 more blocks are needed, 2 of 12 are free or can be freed");
  EXPECT_TRUE(
      std::equal(before.begin(), before.end(), first.blocks().begin(), first.blocks().end()));
  EXPECT_EQ(pool_.num_used(), 10);
  second.clear();  // its blocks stay findable, but can be evicted
  EXPECT_EQ(pool_.num_used(), 10);
  EXPECT_TRUE(first.reserve(3 * kBlockTokens).ok());
}

TEST_F(SequenceCacheTest, TruncateToItsOwnLengthGivesReservedRoomBack) {
  SequenceCache cache(pool_, nullptr);
  ASSERT_TRUE(append_marked(cache, tokens_from(0, 5), "").ok());
  ASSERT_TRUE(cache.reserve(100).ok());
  EXPECT_EQ(pool_.num_used(), 4);
  ASSERT_TRUE(cache.truncate(5).ok());
  EXPECT_EQ(pool_.num_used(), 1);
}

TEST_F(SequenceCacheTest, PrefixIsAdoptedButNeverTheLastToken) {
  SequenceCache first(pool_, &index_, "s");
  ASSERT_TRUE(append_marked(first, tokens_from(0, 2 * kBlockTokens), "s").ok());
  SequenceCache whole(pool_, &index_, "s"), longer(pool_, &index_, "s"), other(pool_, &index_);
  EXPECT_EQ(whole.adopt_prefix(tokens_from(0, 2 * kBlockTokens)), kBlockTokens);
  EXPECT_EQ(longer.adopt_prefix(tokens_from(0, 2 * kBlockTokens + 1)), 2 * kBlockTokens);
  EXPECT_EQ(other.adopt_prefix(tokens_from(0, 2 * kBlockTokens + 1)), 0);
  EXPECT_EQ(wrong_marks(whole, "s") + wrong_marks(longer, "s"), 0);
  EXPECT_EQ(pool_.num_used(), 2);
}

TEST_F(SequenceCacheTest, EqualBlocksComputedTwiceAreStoredOnce) {
  SequenceCache first(pool_, &index_), second(pool_, &index_);
  ASSERT_TRUE(append_marked(first, tokens_from(0, 31), "").ok());
  ASSERT_TRUE(append_marked(second, tokens_from(0, 31), "").ok());
  EXPECT_EQ(pool_.num_used(), 2);
  ASSERT_TRUE(append_marked(first, tokens_from(31, 1), "").ok());
  ASSERT_TRUE(append_marked(second, tokens_from(31, 2), "").ok());
  EXPECT_EQ(first.blocks()[0], second.blocks()[0]);
  EXPECT_EQ(pool_.num_used(), 2);
  EXPECT_EQ(wrong_marks(second, ""), 0);
}

TEST_F(SequenceCacheTest, RewritingAnIndexedBlockCopiesIt) {
  SequenceCache cache(pool_, &index_);
  ASSERT_TRUE(append_marked(cache, tokens_from(0, kBlockTokens), "").ok());
  ASSERT_TRUE(cache.truncate(10).ok());
  ASSERT_TRUE(append_marked(cache, tokens_from(777, 22), "").ok());
  EXPECT_EQ(wrong_marks(cache, ""), 0);
  SequenceCache again(pool_, &index_);
  EXPECT_EQ(again.adopt_prefix(tokens_from(0, kBlockTokens + 1)), kBlockTokens);
  EXPECT_EQ(wrong_marks(again, ""), 0);
}

TEST_F(SequenceCacheTest, PreparedTablesDoNotMove) {
  SequenceCache cache(pool_, &index_);
  cache.prepare(300);
  ASSERT_TRUE(append_marked(cache, tokens_from(0, 1), "").ok());
  const auto* tokens = cache.tokens().data();
  const auto* blocks = cache.blocks().data();
  ASSERT_TRUE(append_marked(cache, tokens_from(1, 299), "").ok());
  EXPECT_EQ(cache.tokens().data(), tokens);
  EXPECT_EQ(cache.blocks().data(), blocks);
}

}  // namespace
}  // namespace legato::kvcache
