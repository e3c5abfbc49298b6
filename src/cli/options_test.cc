#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/parser.h"

namespace legato::cli {
namespace {

using testing::ElementsAre;

TEST(ParseInteger, TakesTheWholeTextWithinItsRange) {
  EXPECT_EQ(parse_integer("17", {1, 100}), 17);
  EXPECT_EQ(parse_integer("-3", {-5, 5}), -3);
  for (const char* bad : {"", "1x", " 1", "0x10", "1.5", "101", "0", "99999999999999999999"}) {
    EXPECT_THROW(parse_integer(bad, {1, 100}), UsageError) << bad;
  }
}

TEST(ParseNumber, RefusesNanInfinityAndOverflow) {
  EXPECT_DOUBLE_EQ(parse_number("0.5", {0, 1}), 0.5);
  EXPECT_DOUBLE_EQ(parse_number("1e-3", {0, 1}), 1e-3);
  for (const char* bad : {"", "nan", "inf", "-inf", "1e999", "0.5.5", "-0.1", "1.1"}) {
    EXPECT_THROW(parse_number(bad, {0, 1}), UsageError) << bad;
  }
}

TEST(ParseIntegerList, NeedsANumberBetweenCommas) {
  EXPECT_THAT(parse_integer_list("1,2,3", {0, 9}), ElementsAre(1, 2, 3));
  for (const char* bad : {"", ",", "1,", "1,,2", "1 2"}) {
    EXPECT_THROW(parse_integer_list(bad, {0, 9}), UsageError) << bad;
  }
}

TEST(CamelCase, JoinsWordsAndKeepsTheDashes) {
  EXPECT_EQ(camel_case("--save-engine"), "--saveEngine");
  EXPECT_EQ(camel_case("--fp16"), "--fp16");
}

class ParserTest : public testing::Test {
 protected:
  ParserTest() {
    options.text("PROMPT", "", &prompt, "").required = true;
    options.integer("--max-tokens", "N", &max_tokens, {1, 10}, "");
    options.texts("--stop", "TEXT", &stop, "");
    options.flag("--json", &json, "");
    options.unsupported("--int8", "", "use --fp16");
  }

  bool parse(std::vector<const char*> words) { return parse_arguments(options, words); }

  OptionSet options;
  std::optional<std::string> prompt;
  std::optional<int64_t> max_tokens;
  std::vector<std::string> stop;
  bool json = false;
};

TEST_F(ParserTest, ReadsBothSpellingsAndBothForms) {
  EXPECT_TRUE(parse({"hello", "--max-tokens", "3"}));
  EXPECT_EQ(max_tokens, 3);
  EXPECT_TRUE(parse({"--maxTokens=4", "hello", "--json"}));
  EXPECT_EQ(max_tokens, 4);
  EXPECT_TRUE(json);
}

TEST_F(ParserTest, RepeatedFlagsCollectAndLeaveThePromptAlone) {
  EXPECT_TRUE(parse({"--stop", "a", "--stop", "b,c", "hello"}));
  EXPECT_THAT(stop, ElementsAre("a", "b,c"));
  EXPECT_EQ(prompt, "hello");
}

TEST_F(ParserTest, PromptsAreTakenAsTheyAre) {
  for (const char* text : {"", "[1,2]", "{}", "a b", "%%", "-5", "\"quoted\"", "[[x]]"}) {
    prompt.reset();
    EXPECT_TRUE(parse({"--", text})) << text;
    EXPECT_EQ(prompt, text);
  }
}

TEST_F(ParserTest, WrongWordsAreUsageErrorsThatNameThem) {
  const auto message = [this](std::vector<const char*> words) -> std::string {
    try {
      parse(words);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({"x", "--max-tokens", "0"}), testing::HasSubstr("--max-tokens: expected"));
  EXPECT_THAT(message({"x", "--max-tokens", "-5"}), testing::HasSubstr("got \"-5\""));
  EXPECT_THAT(message({"x", "--nonsense"}), testing::HasSubstr("--nonsense"));
  EXPECT_THAT(message({}), testing::HasSubstr("PROMPT"));
  EXPECT_THAT(message({"x", "--max-tokens="}), testing::HasSubstr("got \"\""));
  EXPECT_THAT(message({"x", "--max-tokens=", "3"}), testing::HasSubstr("got \"\""));
  EXPECT_THAT(message({"x", "--int8"}), testing::HasSubstr("--int8: not supported yet"));
  EXPECT_THAT(message({"x", "y"}), testing::HasSubstr("y"));
}

TEST_F(ParserTest, HelpNeedsNothingElse) {
  EXPECT_FALSE(parse({"--help"}));
  EXPECT_FALSE(parse({"--max-tokens", "3", "-h"}));
}

}  // namespace
}  // namespace legato::cli
