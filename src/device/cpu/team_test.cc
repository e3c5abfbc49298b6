#include "device/cpu/team.h"

#include <gtest/gtest.h>

#include <numeric>

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
        for (int64_t i = 0; i < chunks; ++i) wrong += first[static_cast<size_t>(i)] != 1;
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
  Team team(2);
  std::vector<int64_t> data(1000);
  int64_t sum[2] = {0, 0};
  team.run([&](TeamMember& member) {
    for (int round = 1; round <= 500; ++round) {
      member.for_chunks(1000, [&](int64_t i) { data[static_cast<size_t>(i)] = round; });
      member.barrier();
      sum[member.rank()] += std::accumulate(data.begin(), data.end(), int64_t{0});
      member.barrier();
    }
  });
  EXPECT_EQ(sum[0], int64_t{1000} * 500 * 501 / 2);
  EXPECT_EQ(sum[1], sum[0]);
}

TEST(Team, ChunksOfAMissingMemberAreTakenOver) {
  Team team(2);
  std::atomic<int> by_first{0};
  std::atomic<bool> go{false};
  team.run([&](TeamMember& member) {
    while (member.rank() == 1 && !go) std::this_thread::yield();
    member.for_chunks(100, [&](int64_t) { by_first += member.rank() == 0; });
    if (member.rank() == 0) go = true;
  });
  EXPECT_EQ(by_first, 100);
}

}  // namespace
}  // namespace legato
