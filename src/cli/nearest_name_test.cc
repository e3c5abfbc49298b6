#include "cli/nearest_name.h"

#include <gtest/gtest.h>

namespace legato::cli {
namespace {

const std::vector<std::string> kNames = {"--max-tokens", "--temperature", "--top-k", "--seed"};

TEST(NearestName, FewLettersAway) {
  EXPECT_EQ(nearest_name("--max-token", kNames), "--max-tokens");
  EXPECT_EQ(nearest_name("--temprature", kNames), "--temperature");
  EXPECT_EQ(nearest_name("--sead", kNames), "--seed");
  EXPECT_EQ(nearest_name("--sede", kNames), "--seed");
}

TEST(NearestName, TheBeginningOfOne) {
  EXPECT_EQ(nearest_name("--temper", kNames), "--temperature");
}

TEST(NearestName, NothingNear) {
  EXPECT_EQ(nearest_name("--nonsense", kNames), "");
  EXPECT_EQ(nearest_name("--", kNames), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), kNames), "");
  EXPECT_EQ(did_you_mean("--nonsense", kNames), "");
  EXPECT_EQ(did_you_mean("--sed", kNames), "; did you mean --seed?");
}

}  // namespace
}  // namespace legato::cli
