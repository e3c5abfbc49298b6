#include "device/cpu/team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/thread_shortage.h"

namespace legato {
namespace {

TEST(Team, EveryChunkRunsOnceInEveryLoopOfManyRuns) {
  for (const int threads : {1, 2, 3, 5}) {
    Team team(threads);
    for (int run = 0; run < 200; ++run) {
      const int64_t chunks = run % 17;
      std::vector<std::atomic<int>> first(17), second(17);
      std::atomic<int> wrong{0};
      team.run([&](TeamMember& member) {
        member.for_chunks(chunks, [&](int64_t i) { first[static_cast<size_t>(i)]++; });
        member.for_chunks(chunks + 1, [&](int64_t i) { second[static_cast<size_t>(i) % 17]++; });
        member.barrier();
        member.for_chunks(chunks, [&](int64_t i) { wrong += first[static_cast<size_t>(i)] != 1; });
        member.barrier();
        member.for_chunks(chunks, [&](int64_t i) { first[static_cast<size_t>(i)]++; });
      });
      EXPECT_EQ(wrong, 0);
      for (int64_t i = 0; i < chunks; ++i) EXPECT_EQ(first[static_cast<size_t>(i)], 2);
      for (int64_t i = 0; i <= chunks; ++i) EXPECT_EQ(second[static_cast<size_t>(i)], 1);
    }
  }
}

TEST(Team, BarrierMakesWritesVisible) {
  Team team(3);
  std::vector<int64_t> data(1000);
  int64_t sum = 0;
  team.run([&](TeamMember& member) {
    for (int round = 1; round <= 500; ++round) {
      member.for_chunks(1000, [&](int64_t i) { data[static_cast<size_t>(i)] = round; });
      member.barrier();
      member.for_chunks(
          1, [&](int64_t) { sum += std::accumulate(data.begin(), data.end(), int64_t{0}); });
      member.barrier();
    }
  });
  EXPECT_EQ(sum, int64_t{1000} * 500 * 501 / 2);
}

TEST(Team, AMissingMemberIsNotWaitedFor) {
  Team team(2);
  std::vector<int> rounds(100);
  std::atomic<bool> go{false};
  std::atomic<int> late{0};
  team.run([&](TeamMember& member) {
    while (member.rank() == 1 && !go) std::this_thread::yield();
    for (int round = 0; round < 50;
         ++round) {  // loops that member 1 meets after their slots moved on
      member.for_chunks(100, [&](int64_t i) {
        rounds[static_cast<size_t>(i)]++;
        late += member.rank() == 1;
      });
      member.barrier();
    }
    if (member.rank() == 0) go = true;
  });
  EXPECT_EQ(late, 0);
  EXPECT_THAT(rounds, testing::Each(50));
}

TEST(Team, AMemberThatMissedRunsTakesPartInLaterOnes) {
  Team team(2);
  std::atomic<bool> inside{false};
  std::atomic<int64_t> executed{0};
  for (int run = 0; run < 2000; ++run)
    team.run([&](TeamMember& member) { member.for_chunks(1, [&](int64_t) { ++executed; }); });
  EXPECT_EQ(executed, 2000);
  team.run([&](TeamMember& member) {
    member.for_chunks(2, [&](int64_t) {
      if (member.rank() == 1) inside = true;
      while (!inside) std::this_thread::yield();  // member 0 waits in its chunk for member 1
    });
  });
  EXPECT_TRUE(inside);
}

TEST(Team, MoreThreadsThanCoresFinish) {
  Team team(8);
  std::vector<int64_t> data(64);
  for (int run = 0; run < 20; ++run)
    team.run([&](TeamMember& member) {
      for (int round = 0; round < 50; ++round) {
        member.for_chunks(64, [&](int64_t i) {
          data[static_cast<size_t>(i)] += data[static_cast<size_t>(i)] == run * 50 + round;
        });
        member.barrier();
      }
    });
  EXPECT_THAT(data, testing::Each(1000));
}

TEST(Team, AThreadThatCannotBeStartedIsAStatusAndLeavesNoneBehind) {
  const ThreadShortage shortage;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto team = Team::create(16);
    ASSERT_FALSE(team.ok());
    EXPECT_EQ(team.status().code, Code::kResourceExhausted);
    EXPECT_THAT(team.status().to_string(), testing::StartsWith("threads: cannot start thread "));
    EXPECT_THAT(team.status().message, testing::HasSubstr(" of 16: "));
  }
  EXPECT_TRUE(Team::create(1).ok());
}

}  // namespace
}  // namespace legato
