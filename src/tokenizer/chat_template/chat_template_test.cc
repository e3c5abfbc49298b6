#include "tokenizer/chat_template/chat_template.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace legato::tokenizer {
namespace {

OrderedJson read_data(const std::string& path) {
  const auto text = read_file(std::string(LEGATO_SOURCE_DIR) + "/tests/data/" + path, 64u << 20);
  EXPECT_TRUE(text.ok()) << text.status().to_string();
  if (!text.ok()) return {};
  auto json = parse_ordered_json(*text, path);
  EXPECT_TRUE(json.ok()) << json.status().to_string();
  return json.ok() ? *json : OrderedJson();
}

/// Saturday, 6 July 2024, 15:04:05, as make_cases.py has it.
std::tm case_clock() {
  std::tm now{};
  now.tm_year = 124;
  now.tm_mon = 6;
  now.tm_mday = 6;
  now.tm_wday = 6;
  now.tm_yday = 187;
  now.tm_hour = 15;
  now.tm_min = 4;
  now.tm_sec = 5;
  return now;
}

ChatInput to_input(const OrderedJson& given) {
  ChatInput input;
  input.messages = given.at("messages");
  input.tools = given.value("tools", OrderedJson());
  input.documents = given.value("documents", OrderedJson());
  input.add_generation_prompt = given.value("add_generation_prompt", false);
  input.variables = given.value("variables", OrderedJson::object());
  if (given.contains("special_tokens"))
    for (const auto& [name, token] : given.at("special_tokens").items())
      input.special_tokens[name] = token.get<std::string>();
  input.clock = case_clock;
  return input;
}

Result<RenderedPrompt> render(std::string_view source, const ChatInput& input) {
  auto parsed = ChatTemplate::parse(source, "t.jinja");
  if (!parsed.ok()) return parsed.status();
  return parsed->render(input);
}

/// The text, or the failure in angle brackets.
std::string outcome(const Result<RenderedPrompt>& prompt) {
  return prompt.ok() ? prompt->text : "<" + prompt.status().to_string() + ">";
}

TEST(ChatTemplate, RendersWhatJinjaRenders) {
  const OrderedJson data = read_data("chat_templates/cases.json");
  int count = 0;
  for (const auto& entry : data.at("cases")) {
    const auto source = entry.at("source").get<std::string>();
    for (const auto& expected : entry.at("renders")) {
      const auto name = expected.at("input").get<std::string>();
      SCOPED_TRACE(fmt::format("{} with input '{}': {}", entry.at("name").get<std::string>(), name,
                               source.substr(0, 200)));
      const auto prompt = render(source, to_input(data.at("inputs").at(name)));
      ++count;
      if (expected.contains("text")) {
        EXPECT_EQ(outcome(prompt), expected.at("text").get<std::string>());
      } else if (expected.contains("raises")) {
        EXPECT_EQ(prompt.status().message, expected.at("raises").get<std::string>());
      } else {
        EXPECT_FALSE(prompt.ok()) << prompt->text;
        EXPECT_NE(prompt.status().to_string().find("t.jinja: "), std::string::npos);
        EXPECT_EQ(prompt.status().message.find('\n'), std::string::npos);
      }
      if (!prompt.ok()) continue;
      std::string joined;
      for (const auto& segment : prompt->segments) joined += segment.text;
      EXPECT_EQ(joined, prompt->text);
    }
  }
  EXPECT_GE(count, 400);
}

}  // namespace
}  // namespace legato::tokenizer
