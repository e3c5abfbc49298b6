#include "import/hf/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/hf/generation_config.h"
#include "import/import_fixture.h"

namespace legato::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Config parse(const std::string& text) { return Config::parse(text, "config.json"); }

TEST(Config, ReadsTypedFieldsWithDefaults) {
  const Config config =
      parse(R"({"i": 7, "f": 1e-5, "whole": 3, "b": true, "s": "x", "n": null, "o": {"k": 1}})");
  EXPECT_EQ(config.get_int("i", {0, 10}), 7);
  EXPECT_EQ(config.get_int("absent", {0, 10}, 4), 4);
  EXPECT_EQ(config.get_int("n", {0, 10}, 5), 5) << "null counts as absent";
  EXPECT_EQ(config.get_float("f"), 1e-5);
  EXPECT_EQ(config.get_float("whole"), 3.0);
  EXPECT_TRUE(config.get_bool("b", false));
  EXPECT_EQ(config.get_string("s"), "x");
  EXPECT_EQ(config.get_object("o")->get_int("k", {0, 1}), 1);
  EXPECT_FALSE(config.get_object("n").has_value());
}

TEST(Config, WrongTypesAndRangesNameFileAndField) {
  const Config config = parse(R"({"i": 7.5, "big": 18446744073709551615, "f": "1", "b": 1, "s": 2,
                                  "l": ["a", 3], "ids": [1, "2"], "o": []})");
  const auto failure = [&](auto&& body) { return error_of(body); };
  EXPECT_THAT(failure([&] {
                config.get_int("i", {0, 9});
              }),
              HasSubstr("config.json: field \"i\": expected an integer from 0 to 9, found 7.5"));
  EXPECT_THAT(failure([&] { config.get_int("big", {0, INT64_MAX}); }), HasSubstr("\"big\""));
  EXPECT_THAT(failure([&] { config.get_int("absent", {0, 9}); }), HasSubstr("required and absent"));
  EXPECT_THAT(failure([&] { config.get_float("f"); }), HasSubstr("expected a number, found \"1\""));
  EXPECT_THAT(failure([&] { config.get_bool("b", false); }), HasSubstr("expected true or false"));
  EXPECT_THAT(failure([&] { config.get_string("s"); }), HasSubstr("expected a string, found 2"));
  EXPECT_THAT(failure([&] { config.get_strings("l"); }), HasSubstr("found 3 in it"));
  EXPECT_THAT(failure([&] { config.get_ints("ids", {0, 9}); }), HasSubstr("found \"2\""));
  EXPECT_THAT(failure([&] { config.get_object("o"); }), HasSubstr("expected an object"));
  EXPECT_THAT(failure([&] { parse(R"({"t": "a\nb"})").get_string("t"); }),
              HasSubstr("expected a string, found \"a\\nb\""));
  EXPECT_THAT(failure([&] { parse("[1]"); }), HasSubstr("expected a JSON object, found [1]"));
  EXPECT_THAT(failure([&] { parse("{\"a\": NaN}"); }), HasSubstr("invalid JSON"));
}

TEST(Config, FieldsThatNobodyAskedForAreListed) {
  const Config config = parse(R"({"used": 1, "other": 2, "more": null})");
  config.get_int("used", {0, 9});
  EXPECT_THAT(config.unread(), ElementsAre("more", "other"));
}

TEST(Config, UnsupportedSettingsAreRefusedUnlessOff) {
  const Config config = parse(R"({"a": false, "b": null, "c": {}, "d": 0, "e": {"bits": 4}})");
  for (const char* name : {"a", "b", "c", "d", "absent"}) config.refuse_if_set(name);
  EXPECT_THAT(error_of([&] { config.refuse_if_set("e"); }),
              HasSubstr("field \"e\": is not supported, found {\"bits\":4}"));
}

TEST(GenerationConfig, SpecialIdsAreUnitedAndJudged) {
  ModelInfo info;
  info.vocab_size = 100;
  read_special_ids(parse(R"({"eos_token_id": 7, "bos_token_id": 1, "pad_token_id": -1})"), info);
  read_special_ids(parse(R"({"eos_token_id": [9, 7, 3, 100], "pad_token_id": [5]})"), info);
  EXPECT_THAT(info.eos_ids, ElementsAre(3, 7, 9));
  EXPECT_EQ(info.bos_id, 1);
  EXPECT_EQ(info.pad_id, 5);
  EXPECT_THAT(error_of([&] { read_special_ids(parse(R"({"eos_token_id": "2"})"), info); }),
              HasSubstr("field \"eos_token_id\": expected integers"));
  EXPECT_THAT(error_of([&] { read_special_ids(parse(R"({"bos_token_id": [1, 2]})"), info); }),
              HasSubstr("field \"bos_token_id\": expected one id, found 2"));
}

TEST(GenerationConfig, DefaultsAreOffAndTypesAreChecked) {
  EXPECT_EQ(read_generation_defaults(parse("{}")), GenerationDefaults{});
  const GenerationDefaults read = read_generation_defaults(
      parse(R"({"do_sample": true, "temperature": 0.6, "top_k": 20, "top_p": 0.9, "min_p": 0.1,
                "repetition_penalty": 1.05, "num_beams": 1, "transformers_version": "4.51.0"})"));
  EXPECT_TRUE(read.do_sample);
  EXPECT_EQ(read.temperature, 0.6);
  EXPECT_EQ(read.top_k, 20);
  EXPECT_EQ(read.top_p, 0.9);
  EXPECT_EQ(read.min_p, 0.1);
  EXPECT_EQ(read.repetition_penalty, 1.05);
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"temperature": "1"})", "\"temperature\""},
      {R"({"top_p": [1]})", "\"top_p\""},
      {R"({"top_k": "5"})", "\"top_k\""},
      {R"({"top_k": 2.5})", "\"top_k\""},
      {R"({"do_sample": "yes"})", "\"do_sample\""}};
  for (const auto& [text, field] : wrong)
    EXPECT_THAT(error_of([&, input = text] { read_generation_defaults(parse(input)); }),
                HasSubstr(field))
        << text;
}

TEST(GenerationConfig, ASettingOutOfItsRangeIsIgnoredWithAWarning) {
  const std::pair<const char*, const char*> ignored[] = {
      {R"({"temperature": -1})", "\"temperature\" is -1"},
      {R"({"top_p": 1.5})", "\"top_p\" is 1.5"},
      {R"({"top_p": 0.0})", "\"top_p\" is 0"},
      {R"({"top_k": -5})", "\"top_k\" is -5"},
      {R"({"min_p": 2})", "\"min_p\" is 2"},
      {R"({"repetition_penalty": 0})", "\"repetition_penalty\" is 0"}};
  for (const auto& [text, warning] : ignored) {
    const LogCapture log;
    EXPECT_EQ(read_generation_defaults(parse(text)), GenerationDefaults{}) << text;
    EXPECT_THAT(log.text(), HasSubstr(warning));
  }
}

TEST(GenerationConfig, TopKOfMinusOneIsOff) {
  const LogCapture log;
  EXPECT_EQ(read_generation_defaults(parse(R"({"top_k": -1})")).top_k, 0);
  EXPECT_EQ(log.text(), "");
}

}  // namespace
}  // namespace legato::importer
