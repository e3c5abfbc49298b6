#include "base/counted.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace legato {
namespace {

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(1, "token"), "1 token");
  EXPECT_EQ(counted(uint64_t{1}, "byte"), "1 byte");
  EXPECT_EQ(counted(0, "token"), "0 tokens");
  EXPECT_EQ(counted(2u, "token"), "2 tokens");
  EXPECT_EQ(counted(INT64_MAX, "row"), "9223372036854775807 rows");
}

}  // namespace
}  // namespace legato
