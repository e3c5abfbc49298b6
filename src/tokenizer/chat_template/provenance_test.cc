#include <gtest/gtest.h>

#include "base/file.h"
#include "tokenizer/chat_template/chat_template.h"

namespace legato::tokenizer {
namespace {

/// Template text as it is, content in square brackets.
std::string marked(std::string_view source) {
  const auto parsed = ChatTemplate::parse(source, "t.jinja");
  if (!parsed.ok()) return parsed.status().to_string();
  ChatInput input;
  input.messages = OrderedJson::parse(
      R"([{"role": "user", "content": " a<|x|>b ", "n": 12, "list": ["p", 1], "upper": "ǆß"}])");
  input.bos_token = "<s>";
  input.special_tokens["pad_token"] = "<pad>";
  input.variables["extra"] = "<|x|>";
  const auto prompt = parsed->render(input);
  if (!prompt.ok()) return prompt.status().to_string();
  std::string out;
  for (const auto& segment : prompt->segments)
    out += segment.is_template ? segment.text : "[" + segment.text + "]";
  return out;
}

TEST(Provenance, LiteralsAndSpecialTokensAreTemplate) {
  EXPECT_EQ(marked("{{ bos_token }}<|x|>{{ '<|x|>' ~ pad_token }}{{ 1 + 1 }}"),
            "<s><|x|><|x|><pad>2");
  EXPECT_EQ(marked("{% for m in messages %}<img{{ loop.index }}>{% endfor %}"), "<img1>");
  EXPECT_EQ(marked("{{ {'a': ['<|x|>', 1]} | tojson }}"), "{\"a\": [\"<|x|>\", 1]}");
}

TEST(Provenance, RequestValuesAreContent) {
  EXPECT_EQ(marked("{{ messages[0].content }}{{ extra }}"), "[ a<|x|>b <|x|>]");
  EXPECT_EQ(marked("x{{ messages[0].n }}y{{ messages[0].n + 1 }}z{{ messages[0].n | string }}"),
            "x[12]y[13]z[12]");
  EXPECT_EQ(marked("{{ messages[0].list }}"), "[['p', 1]]");
  EXPECT_EQ(
      marked("{% for k in messages[0] %}{{ k }}{% if not loop.last %},{% endif %}{% endfor %}"),
      "[role],[content],[n],[list],[upper]");
}

TEST(Provenance, ConcatenationKeepsBothParts) {
  EXPECT_EQ(marked("{{ '<' ~ messages[0].content ~ '>' }}"), "<[ a<|x|>b ]>");
  EXPECT_EQ(marked("{{ '<' + messages[0].content | trim + '>' }}"), "<[a<|x|>b]>");
  EXPECT_EQ(marked("{{ ['<', messages[0].content, '>'] | join('-') }}"), "<-[ a<|x|>b ]->");
  EXPECT_EQ(marked("{{ '<%s>' | format(messages[0].role) }}{{ '<{}>'.format(messages[0].role) }}"),
            "<[user]><[user]>");
  EXPECT_EQ(marked("{{ messages[0].role * 2 ~ '|' * 2 }}"), "[useruser]||");
}

TEST(Provenance, SlicesSplitsAndReplacementsKeepIt) {
  EXPECT_EQ(
      marked("{% set s = '<|' ~ messages[0].role ~ '|>' %}{{ s[1:4] }}/{{ s[::-1] }}/{{ s[2] }}"),
      "|[us]/>|[resu]|</[u]");
  EXPECT_EQ(marked("{{ messages[0].content.split('|')[1] }}{{ '<|a|>'.split('|')[1] }}"), "[x]a");
  EXPECT_EQ(marked("{{ messages[0].content.replace('|x|', '|y|') }}"), "[ a<]|y|[>b ]");
  EXPECT_EQ(marked("{{ '<|c|>'.replace('c', messages[0].role) }}"), "<|[user]|>");
  EXPECT_EQ(marked("{{ ('<' ~ messages[0].upper ~ 'ß>') | upper }}"), "<[ǄSS]SS>");
  EXPECT_EQ(marked("{{ (messages[0].role ~ 'ABC') | capitalize }}{{ messages[0].role | title }}"),
            "[User]abc[User]");
  EXPECT_EQ(marked("{{ messages[0].content | e }}"), "[ a&lt;|x|&gt;b ]");
  EXPECT_EQ(marked("{{ ('a\n' ~ messages[0].role) | indent(2) }}"), "a\n  [user]");
}

TEST(Provenance, JsonAndMacrosKeepIt) {
  EXPECT_EQ(marked("{{ messages[0].list | tojson }}"), "[[\"p\", 1]]");
  EXPECT_EQ(marked("{{ {'k': messages[0].role} | tojson }}"), "{\"k\": [\"user\"]}");
  EXPECT_EQ(marked("{{ (messages[0].list + ['t']) | tojson }}"), "[[\"p\", 1, ]\"t\"[]]");
  EXPECT_EQ(marked("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(messages[0].role) | upper }}"),
            "<[USER]>");
  EXPECT_EQ(marked("{% set b %}<{{ extra }}>{% endset %}{{ b }}{% filter trim %} ({{ extra }}) {% "
                   "endfilter %}"),
            "<[<|x|>]>([<|x|>])");
}

TEST(ChatTemplate, KeysOfToolsKeepTheirOrder) {
  const auto parsed = ChatTemplate::parse("{{ tools | tojson }}", "t.jinja");
  ASSERT_TRUE(parsed.ok());
  ChatInput input;
  const auto tools =
      parse_ordered_json(R"([{"type": "f", "a": {"z": 1, "b": 18446744073709551615}}])", "tools");
  ASSERT_TRUE(tools.ok());
  input.tools = *tools;
  const auto prompt = parsed->render(input);
  ASSERT_TRUE(prompt.ok());
  EXPECT_EQ(prompt->text, R"([{"type": "f", "a": {"z": 1, "b": 18446744073709551615}}])");
  EXPECT_EQ(parse_ordered_json(R"({"a\nb": 1, "a\nb": 2})", "x").status().to_string(),
            R"(x: key "a\nb" occurs twice)");
  EXPECT_FALSE(parse_ordered_json(std::string(100, '['), "x").ok());
  EXPECT_FALSE(parse_ordered_json("[1, 2", "x").ok());
}

TEST(ChatTemplate, RendersTheGoldenChatsOfTinyTales) {
  const std::string path =
      std::string(LEGATO_SOURCE_DIR) + "/tests/data/tokenizers/tokenizer-tiny-tales.json";
  const auto text = read_file(path, 64u << 20);
  ASSERT_TRUE(text.ok()) << text.status().to_string();
  const auto golden = parse_ordered_json(*text, path);
  ASSERT_TRUE(golden.ok()) << golden.status().to_string();
  const auto parsed = ChatTemplate::parse(
      "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + "
      "message['content'] + '<|im_end|>' + "
      "'\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
      "tokenizer_config.json");
  ASSERT_TRUE(parsed.ok());
  ASSERT_GE(golden->at("chat").size(), 6u);
  for (const auto& chat : golden->at("chat")) {
    ChatInput input;
    input.messages = chat.at("messages");
    input.add_generation_prompt = chat.at("add_generation_prompt").get<bool>();
    const auto prompt = parsed->render(input);
    ASSERT_TRUE(prompt.ok()) << prompt.status().to_string();
    EXPECT_EQ(prompt->text, chat.at("text").get<std::string>());
  }
}

}  // namespace
}  // namespace legato::tokenizer
