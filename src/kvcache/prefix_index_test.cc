#include "kvcache/prefix_index.h"

#include <gtest/gtest.h>

#include <numeric>

#include "device/cpu/huge_memory.h"

namespace legato::kvcache {
namespace {

std::vector<int32_t> tokens_from(int32_t first, int64_t count) {
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

uint64_t always_equal(std::span<const std::byte>, uint64_t) { return 42; }

class PrefixIndexTest : public ::testing::TestWithParam<PrefixIndex::HashFunction> {
 protected:
  PrefixIndexTest()
      : pool_(std::move(BlockPool::create(KvLayout({{1, 2, 0, 0}}, DType::kF32), 16, memory_))
                  .value()),
        index_(pool_, GetParam()) {}

  /// Inserts the full blocks of `tokens` as fresh blocks and gives them up to the index.
  std::vector<BlockId> insert(const std::vector<int32_t>& tokens, const std::string& salt = "") {
    std::vector<BlockId> blocks;
    BlockId parent = kNoBlock;
    for (size_t i = 0; i + kBlockTokens <= tokens.size(); i += kBlockTokens) {
      const BlockId block = pool_.acquire().value();
      parent = index_.insert(parent, std::span(tokens).subspan(i, kBlockTokens), block, salt);
      pool_.release(block);
      blocks.push_back(parent);
    }
    return blocks;
  }
  std::vector<BlockId> match(const std::vector<int32_t>& tokens, const std::string& salt = "") {
    const std::vector<BlockId> blocks = index_.match(tokens, salt);
    for (const BlockId block : blocks) pool_.release(block);
    return blocks;
  }
  void TearDown() override {
    EXPECT_EQ(index_.check_integrity().to_string(), "");
    EXPECT_EQ(pool_.check_integrity().to_string(), "");
  }

  HugeMemory memory_;
  BlockPool pool_;
  PrefixIndex index_;
};

TEST_P(PrefixIndexTest, HitsEndAtTheFirstDifferentBlock) {
  const std::vector<BlockId> blocks = insert(tokens_from(0, 3 * kBlockTokens + 5));
  EXPECT_EQ(blocks.size(), 3u);
  EXPECT_EQ(match(tokens_from(0, 4 * kBlockTokens)), blocks);
  EXPECT_EQ(match(tokens_from(0, 2 * kBlockTokens + 31)).size(), 2u);
  EXPECT_TRUE(match(tokens_from(0, kBlockTokens - 1)).empty());
  std::vector<int32_t> other = tokens_from(0, 3 * kBlockTokens);
  other[kBlockTokens + 3] = -7;
  EXPECT_EQ(match(other).size(), 1u);
  // Equal blocks behind another beginning are no hit.
  EXPECT_TRUE(match(tokens_from(kBlockTokens, kBlockTokens)).empty());
}

TEST_P(PrefixIndexTest, SaltsDoNotMeet) {
  insert(tokens_from(0, kBlockTokens), "alice");
  EXPECT_TRUE(match(tokens_from(0, kBlockTokens), "bob").empty());
  EXPECT_TRUE(match(tokens_from(0, kBlockTokens)).empty());
  EXPECT_EQ(match(tokens_from(0, kBlockTokens), "alice").size(), 1u);
}

TEST_P(PrefixIndexTest, EqualPrefixIsKeptOnce) {
  const std::vector<BlockId> first = insert(tokens_from(0, 2 * kBlockTokens));
  EXPECT_EQ(insert(tokens_from(0, 2 * kBlockTokens)), first);
  EXPECT_EQ(index_.size(), 2);
  EXPECT_EQ(pool_.num_used(), 2);
}

TEST_P(PrefixIndexTest, EvictsLeastRecentlyUsedLeavesAndKeepsParents) {
  const std::vector<BlockId> old = insert(tokens_from(0, 3 * kBlockTokens));
  const std::vector<BlockId> young = insert(tokens_from(1000, 2 * kBlockTokens));
  match(tokens_from(0, 3 * kBlockTokens));  // now the first chain is the younger one
  EXPECT_EQ(index_.evictable(), 5);
  EXPECT_EQ(index_.evict(1), 1);
  EXPECT_TRUE(index_.contains(young[0]) && !index_.contains(young[1]));
  EXPECT_EQ(index_.evict(2), 2);
  EXPECT_FALSE(index_.contains(young[0]) || index_.contains(old[2]));
  EXPECT_EQ(match(tokens_from(0, 3 * kBlockTokens)).size(), 2u);
  EXPECT_EQ(index_.evict(100), 2);
  EXPECT_EQ(index_.size(), 0);
  EXPECT_EQ(pool_.num_used(), 0);
}

TEST_P(PrefixIndexTest, BlocksInUseAndTheirParentsStay) {
  const std::vector<BlockId> blocks = insert(tokens_from(0, 3 * kBlockTokens));
  const std::vector<BlockId> others = insert(tokens_from(500, kBlockTokens));
  pool_.add_reference(blocks[1]);
  EXPECT_EQ(index_.evictable(), 2);
  EXPECT_EQ(index_.evict(100), 2);
  EXPECT_TRUE(index_.contains(blocks[0]) && index_.contains(blocks[1]));
  EXPECT_FALSE(index_.contains(blocks[2]) || index_.contains(others[0]));
  pool_.release(blocks[1]);
  EXPECT_EQ(index_.evict(100), 2);
}

INSTANTIATE_TEST_SUITE_P(Hashes, PrefixIndexTest,
                         ::testing::Values(nullptr,
                                           static_cast<PrefixIndex::HashFunction>(always_equal)),
                         [](const auto& param) {
                           return param.param == nullptr ? "Xxh3" : "AllCollide";
                         });

}  // namespace
}  // namespace legato::kvcache
