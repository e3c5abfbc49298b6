#include "cli/core_loss.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <thread>
#include <vector>

namespace legato::cli {
namespace {

void spin_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(CoreLoss, ThreadsThatShareOneCoreLoseItToEachOther) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const CoreLoss start = core_loss_so_far();
  std::thread other([] { spin_for(std::chrono::milliseconds(300)); });
  spin_for(std::chrono::milliseconds(300));
  const CoreLoss lost = core_loss_so_far() - start;
  other.join();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_GT(lost.preemptions, 0);
}

TEST(CoreLoss, DifferenceIsFieldByField) {
  const CoreLoss lost = CoreLoss{5, 7.5, 3} - CoreLoss{2, 1.5, 3};
  EXPECT_EQ(lost.preemptions, 3);
  EXPECT_EQ(lost.waited_us, 6);
  EXPECT_EQ(lost.steal_ticks, 0);
}

}  // namespace
}  // namespace legato::cli
