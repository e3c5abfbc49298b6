#include "runtime/extent.h"

#include <gtest/gtest.h>

namespace legato::runtime {
namespace {

TEST(Extent, EqualsTheDimensionItCameFrom) {
  for (const char* text : {"0", "7", "tokens", "logit_rows", "3*tokens + 2*logit_rows + 5",
                           "tokens - 1", "tokens - logit_rows"}) {
    const Dim dim = Dim::parse(text).value();
    const Extent extent = Extent::of(dim).value();
    EXPECT_EQ(extent.is_constant(), dim.is_constant()) << text;
    for (const auto& [tokens, rows] : {std::pair{1, 0}, {1, 1}, {17, 3}, {512, 512}})
      EXPECT_EQ(extent.at({tokens, rows}),
                dim.evaluate({{"tokens", tokens}, {"logit_rows", rows}}).value())
          << text;
  }
}

TEST(Extent, NeverBelowZero) {
  EXPECT_EQ(Extent::of(Dim::parse("tokens - 4").value()).value().at({1, 0}), 0);
}

TEST(Extent, RefusesOtherNamesAndProducts) {
  for (const char* text : {"tokens*tokens", "tokens*logit_rows", "batch", "tokens + batch",
                           "tokens*tokens - tokens"}) {
    const auto extent = Extent::of(Dim::parse(text).value());
    ASSERT_FALSE(extent.ok()) << text;
    EXPECT_EQ(extent.status().code, Code::kUnsupported);
  }
}

}  // namespace
}  // namespace legato::runtime
