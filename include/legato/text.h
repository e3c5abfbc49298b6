#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "legato/types.h"

namespace legato {
inline namespace v1 {

struct EncodeOptions {
  /// Text that spells a special token becomes that token; otherwise it stays text.
  bool parse_special = false;
  /// Adds what the model's post-processor adds (a begin token, say).
  bool add_special = true;
};

struct ChatOptions {
  std::string tools_json;      ///< a JSON list, or empty
  std::string variables_json;  ///< an object with further variables for the template, or empty
  bool add_generation_prompt = true;
  std::string chat_template;  ///< Jinja instead of the model's own, or empty
};

/// Text to token ids and back, and the model's chat template. A handle that is cheap to copy; any
/// thread.
class LEGATO_API Tokenizer {
 public:
  /// Of a Hugging Face model folder or a GGUF file.
  static Result<Tokenizer> load(const std::string& model);

  Result<std::vector<int32_t>> encode(std::string_view text,
                                      const EncodeOptions& options = {}) const;
  /// kInvalidArgument for ids outside the vocabulary.
  Result<std::string> decode(std::span<const int32_t> ids, bool skip_special = true) const;
  int64_t vocab_size() const;
  /// The bytes that a token stands for, which may be part of a character; empty for an unknown id.
  std::string token_bytes(int32_t id) const;

  bool has_chat_template() const;
  /// The chat template applied to a JSON list of messages ({"role": ..., "content": ...}).
  Result<std::string> render_chat(std::string_view messages_json,
                                  const ChatOptions& options = {}) const;
  /// render_chat() and its ids: special tokens of the template are tokens, what the messages say
  /// stays text.
  Result<std::vector<int32_t>> encode_chat(std::string_view messages_json,
                                           const ChatOptions& options = {}) const;

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }
  explicit Tokenizer(std::shared_ptr<const Impl> impl);

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Turns a growing list of ids into text: never half a UTF-8 character, and what may begin a stop
/// string is held back until it is known. Move-only; one thread.
class LEGATO_API Detokenizer {
 public:
  Detokenizer(const Tokenizer& tokenizer, std::vector<std::string> stop_strings = {},
              bool skip_special = true);
  Detokenizer(Detokenizer&&) noexcept;
  Detokenizer& operator=(Detokenizer&&) noexcept;
  ~Detokenizer();

  /// Lets the prompt's ids pass first, so that text reads on from them (a space after it stays).
  void prime(std::span<const int32_t> ids);
  /// The text that has become certain with this id.
  std::string push(int32_t id);
  /// What was held back, at the end.
  std::string finish();
  /// A stop string has appeared; it and what follows are not part of the text.
  bool stopped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace legato
