#include "tensor/dim.h"

#include <gtest/gtest.h>

namespace legato {
namespace {

TEST(Dim, NormalFormMakesEqualExtentsEqual) {
  const Dim t = Dim::symbol("tokens");
  const Dim b = Dim::symbol("batch");
  EXPECT_EQ((t + 1) * b, b * t + b);
  EXPECT_EQ(t - t, Dim(0));
  EXPECT_TRUE((t - t + 3).is_constant());
  EXPECT_EQ((t * 2 + 4).divided_by(Dim(2)), t + 2);
  EXPECT_EQ((t * b * 6).divided_by(b * 3), t * 2);
  EXPECT_EQ((t + 1).divided_by(Dim(2)), std::nullopt);
  EXPECT_EQ((t + b).divided_by(t + b), Dim(1));
}

TEST(Dim, TextRoundTrips) {
  const Dim t = Dim::symbol("tokens");
  for (const Dim& dim :
       {Dim(0), Dim(7), Dim(-3), t, t * 2 + 1, t * t - Dim::symbol("past") * 4 - 9}) {
    const auto parsed = Dim::parse(dim.to_string());
    ASSERT_TRUE(parsed.ok()) << dim.to_string();
    EXPECT_EQ(*parsed, dim) << dim.to_string();
  }
  for (const char* bad : {"", "2*", "+", "a b", "2a", "99999999999999999999", "a++b"})
    EXPECT_FALSE(Dim::parse(bad).ok()) << bad;
}

TEST(Dim, EvaluationNamesAMissingSymbolAndRefusesOverflow) {
  const Dim t = Dim::symbol("tokens");
  EXPECT_EQ((t * 2 + 1).evaluate({{"tokens", 17}}).value(), 35);
  EXPECT_NE(t.evaluate({}).status().message.find("tokens"), std::string::npos);
  EXPECT_FALSE((t * t * t).evaluate({{"tokens", int64_t{1} << 40}}).ok());
  EXPECT_FALSE(SymShape({t - 5}).evaluate({{"tokens", 2}}).ok());
}

}  // namespace
}  // namespace legato
