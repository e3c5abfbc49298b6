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

}  // namespace
}  // namespace legato
