#include <gtest/gtest.h>

#include <vector>

#include "tests/support/processor_time.h"
#include "tokenizer/chat_template/chat_template.h"

namespace legato::tokenizer {
namespace {

struct Outcome {
  Status status;
  size_t size = 0;
  double seconds = 0;
};

Outcome render(const std::string& source) {
  const testing_support::ProcessorTime time;
  Outcome outcome;
  const auto parsed = ChatTemplate::parse(source, "t.jinja");
  if (parsed.ok()) {
    ChatInput input;
    input.messages = OrderedJson::parse(R"([{"role": "user", "content": "Hi"}])");
    const auto prompt = parsed->render(input);
    outcome.status = prompt.status();
    if (prompt.ok()) outcome.size = prompt->text.size();
  } else {
    outcome.status = parsed.status();
  }
  outcome.seconds = time.seconds();
  return outcome;
}

std::string repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// Every source ends within a second, with one line that names the template.
void expect_refused(const std::vector<std::string>& sources) {
  for (const std::string& source : sources) {
    SCOPED_TRACE(source.substr(0, 200));
    const Outcome outcome = render(source);
    EXPECT_FALSE(outcome.status.ok()) << "printed " << outcome.size << " bytes";
    EXPECT_LT(outcome.seconds, 1.0) << outcome.status.to_string();
    EXPECT_TRUE(outcome.status.to_string().starts_with("t.jinja: ")) << outcome.status.to_string();
    EXPECT_EQ(outcome.status.message.find('\n'), std::string::npos);
    EXPECT_LT(outcome.status.message.size(), 300u);
  }
}

const std::string kLoop = "{% for a in range(99999) %}{% for b in range(99999) %}";

TEST(HostileTemplate, RepetitionIsRefused) {
  expect_refused(
      {"{{ 'a' * 1000000000 }}", "{{ 'a' * 9223372036854775807 }}", "{{ [1] * 1000000000 }}",
       "{{ ('a' * 9000000) }}", "{{ 'ab' * 4000000 ~ 'ab' * 4000000 ~ 'ab' * 4000000 }}",
       "{% set ns = namespace(x='a') %}{% for i in range(99) "
       "%}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
       "{% set ns = namespace(x=[1]) %}{% for i in range(99) "
       "%}{% set ns.x = ns.x + ns.x %}{% endfor %}",
       "{% set ns = namespace(x=[1]) %}{% for i in range(200) "
       "%}{% set ns.x = [ns.x, ns.x] %}{% endfor %}",
       "{% set ns = namespace(x=1) %}{% for i in range(50) %}{% "
       "set ns.x = [ns.x, ns.x] %}{% endfor "
       "%}{{ ns.x }}",
       "{% set ns = namespace(x=1, y=1) %}{% for i in range(50) "
       "%}{% set ns.x = [ns.x, ns.x] %}{% set "
       "ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
       "{{ 'aaaa'.replace('a', 'b' * 9000000) }}", "{{ ['a'] * 100000 | join('b' * 1000000) }}",
       "{% set x = ['a'] * 90000 %}{{ x | join('b' * 1000000) }}",
       "{% set x = 'a' * 8000000 %}{{ x.split('a') | length }}",
       "{% set x = 'a' * 8000000 %}{{ x | list | length }}",
       "{% set x = 'a' * 15000000 %}{{ x[::-1] | length }}",
       "{% macro m(x) %}{{ x }}{{ x }}{% endmacro %}{{ "
       "m(m(m(m(m(m(m(m(m('a' * 99999))))))))) }}"});
}

TEST(HostileTemplate, HugeNumbersAreRefused) {
  expect_refused({"{{ 10 ** 10 ** 10 }}", "{{ 10 ** 10000000000 }}", "{{ 2 ** 64 }}",
                  "{{ 99999999999999999999 }}", "{{ range(10 ** 12) }}",
                  "{{ range(-9223372036854775807, 9223372036854775807) }}",
                  "{{ 9223372036854775807 * 2 }}", "{{ -9223372036854775807 - 2 }}",
                  "{{ 1e308 ** 2 }}", "{{ (-9223372036854775807 - 1) // -1 }}",
                  "{{ -(-9223372036854775807 - 1) }}", "{{ (-9223372036854775807 - 1) | abs }}",
                  "{{ 1e300 | int }}", "{{ 1.5 | round(1000000) }}",
                  "{{ '99999999999999999999' | int }}"});
}

TEST(HostileTemplate, HugePaddingIsRefused) {
  expect_refused({"{{ 'a' | center(1000000000) }}", "{{ 'a'.center(9223372036854775807) }}",
                  "{{ 'a'.ljust(1000000000, 'b') }}", "{{ 'a\nb' | indent(1000000000) }}",
                  "{{ ('a\n' * 999999) | indent(999) }}", "{{ [1] | tojson(indent=1000000000) }}",
                  "{{ '%1000000000s' | format(1) }}", "{{ '%.1000000000f' | format(1) }}",
                  "{{ '{:1000000000}'.format(1) }}", "{{ '{:.1000000000f}'.format(1.5) }}",
                  "{{ [1] | batch(1000000000, 0) | list }}",
                  "{{ [1] | slice(1000000000) | list }}"});
}

TEST(HostileTemplate, EndlessLoopsEnd) {
  expect_refused(
      {kLoop + "{% endfor %}{% endfor %}", kLoop + "x{% endfor %}{% endfor %}",
       kLoop + "{{ [1, 2, 3] | sort }}{% endfor %}{% endfor %}",
       kLoop + "{{ range(99999) | list | length }}{% endfor %}{% endfor %}",
       "{% set x = 'a' * 999999 %}" + kLoop + "{% set y = x | upper %}{% endfor %}{% endfor %}",
       "{% set x = 'a' * 999999 ~ 'b' %}" + kLoop +
           "{% if 'aaaaaaaaaaaab' ~ a in x %}{% endif %}{% endfor %}{% endfor %}",
       "{% set x = 'a' * 999999 %}{% set y = 'b' ~ 'a' * 99999 %}" + kLoop +
           "{{ x.rfind(y) }}{{ x.find(y) }}{{ x.count(y) }}{% endfor %}{% endfor %}",
       "{% set x = range(99999) | list %}" + kLoop +
           "{% set y = x[::-1] %}{% endfor %}{% endfor %}",
       "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
       "{% macro m() %}{% for i in [1, 2] %}{{ m() }}{% endfor %}{% endmacro %}{{ m() }}",
       "{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}"});
}

TEST(HostileTemplate, DeepNestingIsRefused) {
  expect_refused(
      {"{{ " + repeat("(", 50000) + "1" + repeat(")", 50000) + " }}", "{{ " + repeat("[", 50000),
       "{{ " + repeat("not ", 50000) + "1 }}", "{{ " + repeat("-", 50000) + "1 }}",
       "{{ 1" + repeat("+1", 50000) + " }}", "{{ a" + repeat(".b", 50000) + " }}",
       "{{ a" + repeat("|e", 50000) + " }}", "{{ a" + repeat("()", 50000) + " }}",
       "{{ 1 if 1 else " + repeat("1 if 1 else ", 9000) + "1 }}", repeat("{% if 1 %}", 20000),
       repeat("{% for a in b %}", 9000), "{% set " + repeat("(", 50000) + "a = 1 %}",
       std::string(300 << 10, 'a'), "{{ '\\ud800' }}",
       "{{ 'a' is " + repeat("not ", 9000) + "string }}", std::string("a\xff")});
}

TEST(HostileTemplate, ObjectsAreNotWalked) {
  expect_refused({"{{ ''.__class__.__mro__[1].__subclasses__() }}", "{{ messages.__class__ }}",
                  "{{ messages['__class__']['x'] }}", "{{ range.__globals__ }}",
                  "{{ '{0.__class__}'.format(1) }}", "{{ '{0[a]}'.format({}) }}",
                  "{{ messages.append(1) }}", "{{ messages[0].update({}) }}",
                  "{{ messages[0].pop('role') }}", "{{ cycler.__init__ }}",
                  "{% include '/etc/passwd' %}", "{% import 'os' as os %}", "{% extends 'a' %}",
                  "{% block a %}{% endblock %}", "{{ x | attr('__class__') }}", "{{ 1 | pprint }}",
                  "{% for a in messages recursive %}{% endfor %}", "{{ lipsum() }}"});
}

TEST(ChatTemplateLimits, LongButHonestConversationFits) {
  ChatInput input;
  for (int i = 0; i < 2000; ++i)
    input.messages.push_back(
        {{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", std::string(1000, 'x')}});
  const auto parsed = ChatTemplate::parse(
      "{% set ns = namespace(last=0) %}{% for m in messages[::-1] %}{% if m.role == 'user' %}{% "
      "set ns.last = "
      "loop.index0 %}{% endif %}{% endfor %}{% for m in messages %}{% set content = m.content | "
      "trim %}"
      "{{ '<|' ~ m.role ~ '|>' + content.split('</think>')[-1] + '<|end|>\n' }}{% endfor %}",
      "t.jinja");
  ASSERT_TRUE(parsed.ok());
  const auto prompt = parsed->render(input);
  ASSERT_TRUE(prompt.ok()) << prompt.status().to_string();
  EXPECT_GT(prompt->text.size(), 2'000'000u);
}

TEST(ChatTemplateLimits, InvalidContentIsRefusedByName) {
  const auto parsed = ChatTemplate::parse("{{ messages[0].content }}", "t.jinja");
  ASSERT_TRUE(parsed.ok());
  ChatInput input;
  input.messages.push_back({{"role", "user"}, {"content", "a\xC3("}});
  EXPECT_EQ(parsed->render(input).status().message,
            "messages holds a string that is not UTF-8 at its byte 1");
  input.messages = OrderedJson::object();
  EXPECT_EQ(parsed->render(input).status().message, "messages is no list, expected one");
  input.messages = OrderedJson::array();
  input.variables["messages"] = 1;
  EXPECT_EQ(parsed->render(input).status().message, "variable 'messages' has a field of its own");
  input.variables = OrderedJson::object();
  OrderedJson deep = 1;
  for (int i = 0; i < 5000; ++i) deep = OrderedJson::array({std::move(deep)});
  input.messages = std::move(deep);
  EXPECT_EQ(parsed->render(input).status().code, Code::kResourceExhausted);
}

TEST(ChatTemplateLimits, ErrorsNameTheLine) {
  EXPECT_EQ(render("a\n{{ 'x' | nothing }}").status.to_string(),
            "t.jinja: line 2: unknown filter 'nothing'");
  EXPECT_EQ(render("a\n\n{{ 'x' is odder }}").status.to_string(),
            "t.jinja: line 3: unknown test 'odder'");
  EXPECT_EQ(render("{% teleport %}").status.to_string(), "t.jinja: line 1: unknown tag 'teleport'");
  EXPECT_EQ(render("\n{{ 'x'.fly() }}").status.to_string(),
            "t.jinja: line 2: 'fly' of a str is undefined");
  EXPECT_EQ(render("{% if a %}\n\n").status.to_string(),
            "t.jinja: line 1: found the end of the template, expected elif or else or endif for "
            "the block of line 1");
  EXPECT_EQ(render("\n{{ raise_exception('Roles must\nalternate') }}").status.to_string(),
            "t.jinja: Roles must alternate");
  EXPECT_EQ(render("{{ nothing.x }}").status.to_string(),
            "t.jinja: line 1: 'nothing' is undefined");
}

}  // namespace
}  // namespace legato::tokenizer
