#include "cli/text_input.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace legato::cli {
namespace {

TEST(PromptOf, OneLineEndAndAByteOrderMarkAreNoPartOfThePrompt) {
  EXPECT_EQ(prompt_of("The fox\n"), "The fox");
  EXPECT_EQ(prompt_of("The fox\r\n"), "The fox");
  EXPECT_EQ(prompt_of("\xef\xbb\xbfThe fox"), "The fox");
  EXPECT_EQ(prompt_of("a\n\n"), "a\n");
  EXPECT_EQ(prompt_of("a\r"), "a\r");
  EXPECT_EQ(prompt_of("\n"), "");
  EXPECT_EQ(prompt_of(""), "");
}

TEST(ParseIds, CommasBlanksAndBracketsSeparate) {
  const std::vector<int32_t> expected = {1, 22, 3};
  for (const char* text : {"1,22,3", "1, 22, 3", " 1 22\n3\n", "[1, 22, 3]", "1 ,22\t3"}) {
    EXPECT_EQ(parse_ids(text), expected) << text;
  }
}

TEST(ParseIds, WhatIsNoIdIsRefused) {
  for (const char* text :
       {"", " ", "[]", "1,,2", ",1", "1,", "-1", "x", "1.5", "99999999999", "[1"}) {
    EXPECT_THROW((void)parse_ids(text), Error) << text;
  }
}

}  // namespace
}  // namespace legato::cli
