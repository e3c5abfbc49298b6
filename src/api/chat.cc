#include <fmt/format.h>

#include <string>
#include <vector>

#include "api/text_impl.h"
#include "base/status.h"
#include "legato/text.h"
#include "tokenizer/chat_template/ordered_json.h"

namespace legato {
namespace {

using tokenizer::OrderedJson;

Result<OrderedJson> parse_messages(std::string_view text) {
  LEGATO_ASSIGN_OR_RETURN(OrderedJson messages, tokenizer::parse_ordered_json(text, "messages"));
  if (!messages.is_array()) {
    return fail(Code::kInvalidArgument, "messages",
                fmt::format("expected a list, got {}", messages.type_name()));
  }
  if (messages.empty()) return fail(Code::kInvalidArgument, "messages", "the list is empty");
  for (size_t i = 0; i < messages.size(); ++i) {
    const OrderedJson& message = messages[i];
    if (!message.is_object() || !message.contains("role") || !message["role"].is_string()) {
      return fail(Code::kInvalidArgument, fmt::format("messages[{}]", i),
                  "expected an object with a string \"role\"");
    }
  }
  return messages;
}

Result<tokenizer::ChatInput> chat_input(const tokenizer::Tokenizer& tokenizer,
                                        std::string_view messages_json,
                                        const ChatOptions& options) {
  tokenizer::ChatInput input;
  LEGATO_ASSIGN_OR_RETURN(input.messages, parse_messages(messages_json));
  if (!options.tools_json.empty()) {
    LEGATO_ASSIGN_OR_RETURN(input.tools,
                            tokenizer::parse_ordered_json(options.tools_json, "tools"));
    if (!input.tools.is_array()) {
      return fail(Code::kInvalidArgument, "tools",
                  fmt::format("expected a list, got {}", input.tools.type_name()));
    }
  }
  if (!options.variables_json.empty()) {
    LEGATO_ASSIGN_OR_RETURN(input.variables,
                            tokenizer::parse_ordered_json(options.variables_json, "variables"));
    if (!input.variables.is_object()) {
      return fail(Code::kInvalidArgument, "variables",
                  fmt::format("expected an object, got {}", input.variables.type_name()));
    }
  }
  input.add_generation_prompt = options.add_generation_prompt;
  for (const std::string& name : tokenizer.named_token_names()) {
    const std::string text(tokenizer.named_token(name).value_or(""));
    if (name == "bos_token") {
      input.bos_token = text;
    } else if (name == "eos_token") {
      input.eos_token = text;
    } else {
      input.special_tokens[name] = text;
    }
  }
  return input;
}

Result<tokenizer::RenderedPrompt> render(const Tokenizer::Impl& impl,
                                         std::string_view messages_json,
                                         const ChatOptions& options) {
  LEGATO_ASSIGN_OR_RETURN(const tokenizer::ChatInput input,
                          chat_input(impl.tokenizer, messages_json, options));
  // Some models have a template of their own for requests with tools.
  std::string_view source = options.chat_template;
  if (!source.empty()) {
    LEGATO_ASSIGN_OR_RETURN(const tokenizer::ChatTemplate given,
                            tokenizer::ChatTemplate::parse(source, "chat_template"));
    return given.render(input);
  }
  if (!input.tools.is_null()) source = impl.tokenizer.chat_template("tool_use");
  if (source.empty()) source = impl.tokenizer.chat_template();
  if (source.empty()) {
    return fail(Code::kNotFound, impl.where, "the model has no chat template");
  }
  LEGATO_ASSIGN_OR_RETURN(const tokenizer::ChatTemplate chat_template,
                          tokenizer::ChatTemplate::parse(source, impl.where + ": chat_template"));
  return chat_template.render(input);
}

}  // namespace

inline namespace v1 {

bool Tokenizer::has_chat_template() const { return !impl_->tokenizer.chat_template().empty(); }

Result<std::string> Tokenizer::render_chat(std::string_view messages_json,
                                           const ChatOptions& options) const {
  LEGATO_ASSIGN_OR_RETURN(tokenizer::RenderedPrompt prompt, render(*impl_, messages_json, options));
  return std::move(prompt.text);
}

Result<std::vector<int32_t>> Tokenizer::encode_chat(std::string_view messages_json,
                                                    const ChatOptions& options) const {
  LEGATO_ASSIGN_OR_RETURN(const tokenizer::RenderedPrompt prompt,
                          render(*impl_, messages_json, options));
  std::vector<tokenizer::Segment> segments;
  for (const auto& segment : prompt.segments) {
    segments.push_back({segment.text, segment.is_template});
  }
  return impl_->tokenizer.encode_segments(segments);
}

}  // namespace v1
}  // namespace legato
