#include "base/one_line.h"

#include <gtest/gtest.h>

namespace legato {
namespace {

TEST(OneLine, IsUtf8WithoutControlCharacters) {
  EXPECT_TRUE(is_one_line(""));
  EXPECT_TRUE(is_one_line("model.layers.0 \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xC2\xA0"));
  for (const std::string_view bad :
       {std::string_view("a\nb"), std::string_view("\0", 1), std::string_view("\x1b[2J"),
        std::string_view("\x7f"), std::string_view("\xC2\x85"), std::string_view("\xC3"),
        std::string_view("\xC0\x80"), std::string_view("\xED\xA0\x80"),
        std::string_view("\xF4\x90\x80\x80"), std::string_view("\xE0\x80\x80"),
        std::string_view("\x80")}) {
    EXPECT_FALSE(is_one_line(bad)) << testing::PrintToString(bad);
    EXPECT_TRUE(is_one_line(one_line(bad))) << testing::PrintToString(bad);
  }
}

TEST(OneLine, KeepsWhatMayBeShown) {
  const std::string text = "model.layers.0 \xC3\xA9 \xF0\x9F\x98\x80";
  EXPECT_EQ(one_line(text), text);
}

TEST(OneLine, ReplacesWhatMayNot) {
  EXPECT_EQ(one_line("two\nlines\tand\r\nmore"), "two lines and  more");
  EXPECT_EQ(one_line(std::string_view("a\0\x1b[2J\x7f", 7)), "a??[2J?");
  EXPECT_EQ(one_line("\xC2\x85next"), "?next");
  EXPECT_EQ(one_line("bad \xFF\xC3\xA9"), "bad ?\xC3\xA9");
  EXPECT_EQ(one_line("ends early \xE2\x82"), "ends early ??");
}

TEST(OneLine, CutsBetweenCharacters) {
  EXPECT_EQ(one_line("abcdef", 6), "abcdef");
  EXPECT_EQ(one_line("abcdef", 5), "abcde...");
  EXPECT_EQ(one_line("abc\xE2\x82\xAC", 6), "abc\xE2\x82\xAC");
  EXPECT_EQ(one_line("abc\xE2\x82\xAC", 5), "abc...");
  EXPECT_EQ(one_line("a", 0), "...");
}

}  // namespace
}  // namespace legato
