#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "device/cpu/huge_memory.h"
#include "kvcache/marked_sequence.h"

namespace legato::kvcache {
namespace {

class SavedSequence : public ::testing::Test {
 protected:
  SavedSequence() : pool_(make(kMarkLayout)), index_(pool_), cache_(pool_, &index_) {
    std::vector<int32_t> tokens(75);
    std::iota(tokens.begin(), tokens.end(), 3);
    EXPECT_TRUE(append_marked(cache_, tokens, "").ok());
    saved_ = cache_.save("f00d").value();
  }
  BlockPool make(const KvLayout& layout) {
    return std::move(BlockPool::create(layout, 12, memory_)).value();
  }
  Result<SequenceCache> restore(const std::string& bytes, BlockPool& pool,
                                const std::string& fingerprint = "f00d") {
    return SequenceCache::restore(std::as_bytes(std::span(bytes)), fingerprint, pool, nullptr);
  }
  /// The message of a refusal; also checks that nothing was taken.
  std::string refusal(const std::string& bytes, BlockPool& pool,
                      const std::string& fingerprint = "f00d") {
    const int64_t used = pool.num_used();
    const Result<SequenceCache> result = restore(bytes, pool, fingerprint);
    EXPECT_EQ(pool.num_used(), used);
    return result.ok() ? "accepted" : result.status().to_string();
  }

  HugeMemory memory_;
  BlockPool pool_;
  PrefixIndex index_;
  SequenceCache cache_;
  std::string saved_;
};

TEST_F(SavedSequence, ComesBackWithEqualContents) {
  Result<SequenceCache> back = restore(saved_, pool_);
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_TRUE(std::equal(back->tokens().begin(), back->tokens().end(), cache_.tokens().begin(),
                         cache_.tokens().end()));
  EXPECT_EQ(wrong_marks(*back, ""), 0);
  EXPECT_EQ(back->save("f00d").value(), saved_);
  const std::vector<int32_t> more = {1, 2, 3};
  ASSERT_TRUE(append_marked(*back, more, "").ok());
  EXPECT_EQ(wrong_marks(*back, "") + wrong_marks(cache_, ""), 0);
}

TEST_F(SavedSequence, AnEmptyOneComesBackToo) {
  const std::string empty = SequenceCache(pool_, nullptr).save("f00d").value();
  const Result<SequenceCache> back = restore(empty, pool_);
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_EQ(back->length(), 0);
}

TEST_F(SavedSequence, HoldsNothingThatOthersLeftInItsLastBlock) {
  SequenceCache other(pool_, nullptr);
  std::vector<int32_t> tokens(kBlockTokens, 5);
  ASSERT_TRUE(append_marked(other, tokens, "secret").ok());
  const BlockId block = other.blocks()[0];
  other.clear();
  SequenceCache next(pool_, nullptr), fresh(pool_, nullptr);
  ASSERT_TRUE(append_marked(next, std::vector<int32_t>{9}, "").ok());
  ASSERT_EQ(next.blocks()[0], block);
  BlockPool clean = make(kMarkLayout);
  SequenceCache same(clean, nullptr);
  ASSERT_TRUE(append_marked(same, std::vector<int32_t>{9}, "").ok());
  EXPECT_EQ(next.save("f").value(), same.save("f").value());
}

TEST_F(SavedSequence, NeverEntersThePrefixIndex) {
  cache_.clear();
  index_.evict(100);
  Result<SequenceCache> back =
      SequenceCache::restore(std::as_bytes(std::span(saved_)), "f00d", pool_, &index_);
  ASSERT_TRUE(back.ok());
  ASSERT_TRUE(append_marked(*back, std::vector<int32_t>(40, 1), "").ok());
  EXPECT_EQ(index_.size(), 0);
}

TEST_F(SavedSequence, OtherEnginesAndLayoutsAreRefusedByName) {
  EXPECT_EQ(refusal(saved_, pool_, "beef"),
            "saved sequence: was written by another engine: fingerprint f00d, expected beef");
  BlockPool half = make(KvLayout({{2, 3, 0, 0}, {1, 4, 0, 0}}, DType::kF16));
  EXPECT_EQ(refusal(saved_, half), "saved sequence: dtype is f32, the cache holds f16");
  BlockPool heads = make(KvLayout({{2, 3, 0, 0}, {1, 8, 0, 0}}, DType::kF32));
  EXPECT_EQ(refusal(saved_, heads),
            "saved sequence: layer 1 has 1 heads of 4, window 0, sinks 0; the cache has 1 of 8, "
            "window 0, sinks 0");
  BlockPool layers = make(KvLayout({{2, 3, 0, 0}}, DType::kF32));
  EXPECT_EQ(refusal(saved_, layers), "saved sequence: layers is 2, the cache has 1");
  std::string version = saved_;
  version[8] = 9;
  EXPECT_EQ(refusal(version, pool_), "saved sequence: version 9, expected 1");
}

TEST_F(SavedSequence, EveryTruncationAndEveryFlippedByteIsRefused) {
  for (size_t size = 0; size < saved_.size(); size += size < 600 ? 1 : 97)
    ASSERT_NE(refusal(saved_.substr(0, size), pool_), "accepted") << size;
  EXPECT_NE(refusal(saved_ + "x", pool_), "accepted");
  for (size_t at = 0; at < saved_.size(); at += at < 600 ? 1 : 31) {
    std::string flipped = saved_;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    ASSERT_NE(refusal(flipped, pool_), "accepted") << at;
  }
}

/// Hostile bytes whose checksum is right.
TEST_F(SavedSequence, WildCountsAreJudgedBeforeMemoryIsTaken) {
  const size_t count_at = 8 + 4 + 4 + 4 + 3 * 4 + 2 * 16;
  uint64_t count = 0;
  std::memcpy(&count, saved_.data() + count_at, 8);
  ASSERT_EQ(count, 75u);
  for (const uint64_t wild :
       {uint64_t{0}, uint64_t{76}, uint64_t{97}, uint64_t{1} << 40, uint64_t{1} << 63, ~uint64_t{0},
        (uint64_t{1} << 62) + 75, (uint64_t{1} << 61) + 75}) {
    std::string bytes = saved_.substr(0, saved_.size() - 8);
    std::memcpy(bytes.data() + count_at, &wild, 8);
    const uint64_t checksum = hash_bytes(std::as_bytes(std::span(bytes)));
    bytes.append(reinterpret_cast<const char*>(&checksum), 8);
    EXPECT_NE(refusal(bytes, pool_), "accepted") << wild;
  }
  std::string bytes = saved_.substr(0, saved_.size() - 8);
  bytes[count_at + 8 + 3] = static_cast<char>(0xff);
  const uint64_t checksum = hash_bytes(std::as_bytes(std::span(bytes)));
  bytes.append(reinterpret_cast<const char*>(&checksum), 8);
  EXPECT_EQ(refusal(bytes, pool_), "saved sequence: token 0 is -16777213");
}

TEST_F(SavedSequence, APoolThatIsTooSmallIsNamed) {
  SequenceCache filler(pool_, nullptr);
  ASSERT_TRUE(append_marked(filler, std::vector<int32_t>(8 * kBlockTokens, 1), "").ok());
  EXPECT_EQ(refusal(saved_, pool_),
            "cache: 3 more blocks are needed, 1 of 12 are free or can be freed");
}

TEST_F(SavedSequence, RandomBytesAreRefused) {
  std::mt19937 random(5);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = saved_.substr(0, random() % 200);
    for (int change = 0; change < 3 && !bytes.empty(); ++change)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    ASSERT_NE(refusal(bytes, pool_), "accepted");
  }
}

}  // namespace
}  // namespace legato::kvcache
