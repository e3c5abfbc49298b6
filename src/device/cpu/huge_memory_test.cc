#include "device/cpu/huge_memory.h"

#include <gtest/gtest.h>

namespace legato {
namespace {

TEST(HugeMemory, GivesZeroedAlignedMemoryOfThePredictedSize) {
  HugeMemory memory;
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{5000}, size_t{3} << 20}) {
    const Buffer buffer = memory.allocate(bytes).value();
    EXPECT_EQ(buffer.bytes(), memory.reserved_bytes(bytes));
    EXPECT_GE(buffer.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % (bytes < (2u << 20) ? 4096 : 2 << 20),
              0u);
    for (size_t i = 0; i < buffer.bytes(); i += 777) ASSERT_EQ(buffer.data()[i], std::byte{0});
  }
}

TEST(HugeMemory, RefusesMoreThanTheMachineHas) {
  HugeMemory memory;
  EXPECT_GT(machine_memory_bytes(), size_t{64} << 20);
  for (const size_t bytes : {machine_memory_bytes() + 1, SIZE_MAX}) {
    const Result<Buffer> none = memory.allocate(bytes);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.status().code, Code::kResourceExhausted);
    EXPECT_NE(none.status().message.find(std::to_string(bytes)), std::string::npos);
  }
}

TEST(HugeMemory, WhatIsAvailableShrinksWithWhatIsTaken) {
  constexpr size_t kBytes = size_t{512} << 20;
  const size_t before = available_memory_bytes();
  EXPECT_GT(before, size_t{0});
  EXPECT_LE(before, machine_memory_bytes());
  if (before < 2 * kBytes) GTEST_SKIP() << "this machine has " << before << " bytes left";
  Buffer buffer = HugeMemory().allocate(kBytes).value();
  for (size_t i = 0; i < kBytes; i += 4096) buffer.data()[i] = std::byte{1};
  EXPECT_LT(available_memory_bytes(), before - kBytes / 2);
}

}  // namespace
}  // namespace legato
