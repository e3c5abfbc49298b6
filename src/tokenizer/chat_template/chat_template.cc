#include "tokenizer/chat_template/chat_template.h"

#include <algorithm>
#include <new>

#include "tokenizer/chat_template/interpreter.h"
#include "tokenizer/chat_template/json_value.h"
#include "tokenizer/chat_template/parser.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"

namespace legato::tokenizer {

using jinja::TemplateError;

struct ChatTemplate::Parsed {
  jinja::Body body;
  std::string where;
};

namespace {

constexpr size_t kMaxTemplateBytes = 256u << 10;

Status to_status(const TemplateError& error, const std::string& where, int line) {
  if (error.verbatim) return fail(error.code, where, error.message);
  return fail(error.code, where,
              line > 0 ? fmt::format("line {}: {}", line, error.message) : error.message);
}

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm broken_down{};
  localtime_r(&now, &broken_down);
  return broken_down;
}

using Variables = std::map<std::string, jinja::Value, std::less<>>;

void define_special_token(jinja::Context& context, Variables& variables, const std::string& name,
                          const std::string& token) {
  if (jinja::find_invalid_utf8(token) != std::string_view::npos)
    jinja::refuse("special token '{}' is not UTF-8", jinja::quotable(name));
  variables[name] = context.make_string(token, true);
}

Variables define_variables(jinja::Context& context, const ChatInput& input) {
  Variables variables;
  if (!input.bos_token.empty())
    define_special_token(context, variables, "bos_token", input.bos_token);
  if (!input.eos_token.empty())
    define_special_token(context, variables, "eos_token", input.eos_token);
  for (const auto& [name, token] : input.special_tokens)
    define_special_token(context, variables, name, token);
  if (!input.variables.is_object() && !input.variables.is_null())
    jinja::refuse("variables is no object, expected one");
  for (const auto& [name, value] : input.variables.items()) {
    if (name == "messages" || name == "tools" || name == "documents" ||
        name == "add_generation_prompt")
      jinja::refuse("variable '{}' has a field of its own", name);
    variables[name] = from_json(context, value, "variables");
  }
  if (!input.messages.is_array()) jinja::refuse("messages is no list, expected one");
  variables["messages"] = from_json(context, input.messages, "messages");
  variables["tools"] = from_json(context, input.tools, "tools");
  variables["documents"] = from_json(context, input.documents, "documents");
  variables["add_generation_prompt"] = jinja::Value::boolean(input.add_generation_prompt);
  return variables;
}

RenderedPrompt to_prompt(const jinja::Text& text) {
  RenderedPrompt prompt;
  prompt.text = text.bytes();
  size_t begin = 0;
  for (const auto& run : text.runs()) {
    prompt.segments.push_back({prompt.text.substr(begin, run.end - begin), run.is_template});
    begin = run.end;
  }
  return prompt;
}

}  // namespace

Result<ChatTemplate> ChatTemplate::parse(std::string_view source, const std::string& where) {
  if (source.size() > kMaxTemplateBytes)
    return fail(Code::kResourceExhausted, where,
                fmt::format("chat template is {} bytes, expected at most {}", source.size(),
                            kMaxTemplateBytes));
  if (const size_t at = jinja::find_invalid_utf8(source); at != std::string_view::npos)
    return fail(Code::kMalformed, where, fmt::format("chat template is not UTF-8 at byte {}", at));
  jinja::Parser parser;
  try {
    auto parsed = std::make_shared<Parsed>();
    parsed->body = parser.parse(source);
    parsed->where = where;
    return ChatTemplate(std::move(parsed));
  } catch (const TemplateError& error) {
    return to_status(error, where, parser.line());
  } catch (const std::bad_alloc&) {
    return fail(Code::kResourceExhausted, where, "out of memory");
  }
}

Result<RenderedPrompt> ChatTemplate::render(const ChatInput& input) const {
  jinja::Context context(jinja::Limits{}, input.clock ? input.clock : local_time);
  try {
    auto scope = std::make_shared<jinja::Scope>();
    scope->variables = define_variables(context, input);
    return to_prompt(jinja::Interpreter(context, std::move(scope)).run(parsed_->body));
  } catch (const TemplateError& error) {
    return to_status(error, parsed_->where, context.line);
  } catch (const std::bad_alloc&) {
    return fail(Code::kResourceExhausted, parsed_->where, "out of memory");
  }
}

}  // namespace legato::tokenizer
