// Random operations on many sequences of a small pool, judged after each one: no block holds what
// another prefix wrote, every reference is accounted for, and in the end nothing is in use.

#include <gtest/gtest.h>

#include <random>

#include "device/cpu/huge_memory.h"
#include "kvcache/marked_sequence.h"

namespace legato::kvcache {
namespace {

uint64_t always_equal(std::span<const std::byte>, uint64_t) { return 7; }
uint64_t few_values(std::span<const std::byte> bytes, uint64_t seed) {
  return hash_bytes(bytes, seed) % 3;
}

struct Member {
  SequenceCache cache;
  std::string salt;
};

class RandomCache {
 public:
  RandomCache(uint32_t seed, PrefixIndex::HashFunction hash)
      : random_(seed),
        pool_(std::move(BlockPool::create(kMarkLayout, 24, memory_)).value()),
        index_(pool_, hash) {}

  void run(int operations) {
    for (int i = 0; i < operations && !::testing::Test::HasFailure(); ++i) {
      if (members_.empty() || (members_.size() < 8 && below(6) == 0)) {
        open();
      } else {
        change(below(members_.size()));
      }
      check();
    }
    members_.clear();
    EXPECT_EQ(pool_.num_used(), index_.size());
    index_.evict(pool_.num_blocks());
    EXPECT_EQ(pool_.num_used(), 0);
    EXPECT_GT(hits_, 0);
    EXPECT_GT(refusals_, 0);
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }

  /// One of four texts, with a rare change, so that prefixes meet and part.
  std::vector<int32_t> text(int64_t first, size_t count, size_t story) {
    std::vector<int32_t> tokens(count);
    for (size_t i = 0; i < count; ++i) {
      const int64_t position = first + static_cast<int64_t>(i);
      tokens[i] = static_cast<int32_t>(position / 40 * static_cast<int64_t>(story % 4));
      if (below(200) == 0) tokens[i] = 99;
    }
    return tokens;
  }

  void open() {
    const std::string salt = below(3) == 0 ? "other" : "";
    SequenceCache cache(pool_, below(4) == 0 ? nullptr : &index_, salt);
    hits_ += cache.adopt_prefix(text(0, 1 + below(150), below(4)));
    members_.push_back({std::move(cache), salt});
  }

  void change(size_t which) {
    Member& member = members_[which];
    SequenceCache& cache = member.cache;
    switch (below(10)) {
      case 0:
        ASSERT_TRUE(
            cache.truncate(static_cast<int64_t>(below(static_cast<size_t>(cache.length()) + 1)))
                .ok());
        break;
      case 1:
        if (members_.size() < 8) members_.push_back({cache.fork(), member.salt});
        break;
      case 2:
        members_.erase(members_.begin() + static_cast<int64_t>(which));
        break;
      case 3: {
        const std::string bytes = cache.save("x").value();
        Result<SequenceCache> back = SequenceCache::restore(std::as_bytes(std::span(bytes)), "x",
                                                            pool_, &index_, member.salt);
        if (back.ok()) cache = std::move(back).value();
        break;
      }
      case 4:
        (void)cache.reserve(static_cast<int64_t>(below(80)));
        break;
      case 5:
        cache.clear();
        break;
      default: {
        const Status status =
            append_marked(cache, text(cache.length(), 1 + below(60), which), member.salt);
        refusals_ += !status.ok();
      }
    }
  }

  void check() {
    ASSERT_EQ(pool_.check_integrity().to_string(), "");
    ASSERT_EQ(index_.check_integrity().to_string(), "");
    std::vector<int32_t> references(static_cast<size_t>(pool_.num_blocks()), 0);
    for (const Member& member : members_) {
      ASSERT_EQ(wrong_marks(member.cache, member.salt), 0);
      for (const BlockId block : member.cache.blocks()) ++references[static_cast<size_t>(block)];
    }
    for (BlockId block = 0; block < pool_.num_blocks(); ++block) {
      ASSERT_EQ(pool_.references(block),
                references[static_cast<size_t>(block)] + index_.contains(block))
          << block;
    }
  }

  std::mt19937 random_;
  HugeMemory memory_;
  BlockPool pool_;
  PrefixIndex index_;
  std::vector<Member> members_;
  int64_t hits_ = 0, refusals_ = 0;
};

TEST(RandomCache, NeverLeaksNorMixesBlocks) {
  for (uint32_t seed = 0; seed < 6; ++seed) RandomCache(seed, nullptr).run(4000);
}

TEST(RandomCache, NorWhenAllHashesCollide) {
  for (uint32_t seed = 0; seed < 4; ++seed) RandomCache(seed, always_equal).run(4000);
  for (uint32_t seed = 0; seed < 4; ++seed) RandomCache(seed, few_values).run(4000);
}

}  // namespace
}  // namespace legato::kvcache
