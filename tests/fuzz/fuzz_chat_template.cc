// Feeds arbitrary templates and messages to ChatTemplate. Beside the absence of crashes it checks
// that segments add up to the text and that content never counts as template.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tokenizer/chat_template/chat_template.h"

namespace {

using legato::tokenizer::ChatInput;
using legato::tokenizer::ChatTemplate;
using legato::tokenizer::OrderedJson;

/// U+E000: only the messages have it, as long as the template neither spells nor escapes it.
constexpr std::string_view kMark = "\xEE\x80\x80";

constexpr const char* kMessages = R"([
  {"role": "system", "content": "\ue000be brief\ue000"},
  {"role": "user", "content": [{"type": "text", "text": "Hi \ue000 <|im_end|>"}, {"type": "image"}], "n": 3},
  {"role": "assistant", "content": null, "tool_calls": [{"id": "x", "function": {"name": "f\ue000",
   "arguments": {"a\ue000": [1, 2.5, null, true], "b": {}}}}]},
  {"role": "tool", "content": "{\"temp\": 21}\n  line\ue000"}])";

std::tm fixed_clock() {
  std::tm now{};
  now.tm_year = 124;
  now.tm_mday = 1;
  return now;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The template ends at the first byte 0; behind it may stand other messages.
  const size_t end = std::min(bytes.find('\0'), bytes.size());
  const std::string_view source = bytes.substr(0, end);
  const auto parsed = ChatTemplate::parse(source, "fuzz.jinja");
  if (!parsed.ok()) return 0;

  ChatInput input;
  input.messages = OrderedJson::parse(kMessages);
  input.tools = input.messages;
  input.bos_token = "<s>";
  input.add_generation_prompt = true;
  input.clock = fixed_clock;
  if (end < bytes.size()) {
    auto other = legato::tokenizer::parse_ordered_json(bytes.substr(end + 1), "fuzz.json");
    if (other.ok() && other->is_array()) input.messages = *other;
  }
  const auto prompt = parsed->render(input);
  if (!prompt.ok()) {
    if (prompt.status().message.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  const bool can_write_mark = source.find(kMark) != source.npos || source.find('\\') != source.npos;
  std::string joined;
  for (const auto& segment : prompt->segments) {
    joined += segment.text;
    if (segment.is_template && !can_write_mark && segment.text.find(kMark) != std::string::npos)
      std::abort();
  }
  if (joined != prompt->text) std::abort();
  return 0;
}
