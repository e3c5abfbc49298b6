#include "base/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace legato {
namespace {

std::string failure_of(std::string_view text, const JsonLimits& limits = {}) {
  const auto result = parse_json(text, "x.json", limits);
  return result.ok() ? "" : result.status().to_string();
}

TEST(Json, ParsesNestedValues) {
  const auto value = parse_json(R"({"a": [1, 2.5, "x", null, {"b": true}]})", "x.json");
  ASSERT_TRUE(value.ok()) << value.status().to_string();
  EXPECT_EQ((*value)["a"][1], 2.5);
  EXPECT_EQ((*value)["a"][4]["b"], true);
}

TEST(Json, HostileTextIsOneNamedFailure) {
  EXPECT_EQ(failure_of(R"({"a\nb": 1, "a\nb": 2})"), R"(x.json: key "a\nb" occurs twice)");
  EXPECT_NE(failure_of(std::string(100000, '[')).find("nested deeper"), std::string::npos);
  EXPECT_NE(failure_of("{\"a\": NaN}").find("x.json: invalid JSON at byte"), std::string::npos);
  EXPECT_NE(failure_of("{} trailing").find("invalid JSON"), std::string::npos);
  EXPECT_NE(failure_of("\"\xff\"").find("invalid JSON"), std::string::npos);
  EXPECT_NE(failure_of("").find("invalid JSON"), std::string::npos);
  EXPECT_EQ(failure_of("{\"a\": 1e999}"), R"(x.json: number "1e999" at byte 11 is too large)");
  for (const char* text :
       {"1e999", "[-1e400]", "nul", "\"a", "{", "[1,]", "\"\\x\"", "1.e", "tru;  x"})
    EXPECT_EQ(failure_of(text).find("exception"), std::string::npos) << failure_of(text);
}

TEST(Json, ANulByteIsNotTheEndOfTheText) {
  EXPECT_NE(failure_of(std::string_view("{}\0garbage", 10)).find("NUL"), std::string::npos);
  EXPECT_NE(failure_of(std::string_view("{}\0", 3)).find("NUL"), std::string::npos);
}

TEST(Json, LimitsBoundBytesAndValues) {
  EXPECT_NE(failure_of("[1,2,3,4]", {.max_values = 3}).find("more than 3 values"),
            std::string::npos);
  EXPECT_NE(failure_of("[1,2,3,4]", {.max_bytes = 4}).find("expected at most 4"),
            std::string::npos);
}

}  // namespace
}  // namespace legato
