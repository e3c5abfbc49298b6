#include "base/utf8.h"

#include <gtest/gtest.h>

namespace legato {
namespace {

std::string lossy(std::string_view text) {
  std::string out;
  append_lossy(text, out);
  return out;
}

TEST(Utf8, EveryCodePointComesBackAsItWasWritten) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    append_utf8(c, text);
    ASSERT_TRUE(is_utf8(text)) << static_cast<uint32_t>(c);
    ASSERT_EQ(utf8_length(text[0]), text.size()) << static_cast<uint32_t>(c);
    size_t position = 0;
    ASSERT_EQ(next_code_point(text, position), c);
    ASSERT_EQ(position, text.size()) << static_cast<uint32_t>(c);
  }
}

TEST(Utf8, IllFormedTextIsRefused) {
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "a\xFF"})
    EXPECT_FALSE(is_utf8(text)) << testing::PrintToString(std::string(text));
}

// The table "U+FFFD Substitution of Maximal Subparts" of the Unicode Standard, chapter 3.
TEST(Utf8, EachMaximalBeginningBecomesOneReplacement) {
  const std::string r(kReplacementText);
  EXPECT_EQ(lossy("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(lossy("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

TEST(Utf8, AnUnfinishedCharacterIsIncompleteAndNotValid) {
  const Utf8Step step = utf8_step("\xE2\x82");
  EXPECT_EQ(step.size, 2u);
  EXPECT_FALSE(step.valid);
  EXPECT_TRUE(step.incomplete);
  EXPECT_FALSE(utf8_step("\xE2\x41").incomplete);
}

}  // namespace
}  // namespace legato
