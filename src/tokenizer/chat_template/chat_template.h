#pragma once

#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tokenizer/chat_template/ordered_json.h"

namespace legato::tokenizer {

/// What a template may read.
struct ChatInput {
  OrderedJson messages =
      OrderedJson::array();  ///< list of objects; fields beside role and content pass through
  OrderedJson tools;         ///< list or null
  OrderedJson documents;     ///< list or null
  bool add_generation_prompt = false;
  std::string bos_token;                              ///< empty: not defined
  std::string eos_token;                              ///< empty: not defined
  std::map<std::string, std::string> special_tokens;  ///< others by name: pad_token, unk_token...
  OrderedJson variables = OrderedJson::object();      ///< further variables of the request
  std::function<std::tm()> clock;                     ///< for strftime_now; empty: local time
};

/// Text and its origin. Special tokens may be recognised only where they lie wholly in template
/// segments; ordinary tokens are those of the whole text, across segments.
struct RenderedPrompt {
  struct Segment {
    std::string text;
    bool is_template = false;  ///< written by the template or a special-token variable; otherwise
                               ///< content of the request
  };

  std::string text;
  std::vector<Segment> segments;  ///< concatenated they are `text`; neighbours differ in origin
};

/// A chat template in the Jinja that Hugging Face models use, parsed once. Rendering is bounded in
/// steps, memory, depth and output, and equals Jinja's sandbox with trim_blocks, lstrip_blocks and
/// loop controls on. Any thread.
class ChatTemplate {
 public:
  /// kMalformed, kUnsupported (an unknown tag, filter or test, by name) or kResourceExhausted, with
  /// the line. `where` names the file or field that the source came from.
  static Result<ChatTemplate> parse(std::string_view source, const std::string& where);

  /// kInvalidArgument when the template refuses its input: raise_exception's own message, or the
  /// line and what it needed. kResourceExhausted past a limit, kUnsupported for a feature that only
  /// shows while rendering.
  Result<RenderedPrompt> render(const ChatInput& input) const;

 private:
  struct Parsed;
  explicit ChatTemplate(std::shared_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}

  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace legato::tokenizer
