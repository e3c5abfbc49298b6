#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace legato::tokenizer {

struct EncodeOptions {
  /// Adds what the post-processor puts around a text (a begin token, for example).
  bool add_special = true;
  /// Text that looks like a special token becomes its id. Off, it is text like any other: what a
  /// user wrote can't take control. Added tokens that are not special are always recognised.
  bool parse_special = false;
};

/// A part of a rendered chat prompt. Special tokens are recognised only where all their bytes come
/// from the template.
struct Segment {
  std::string_view text;
  bool is_template = false;
};

struct TokenizerParts;
struct TokenizerMetadata;

/// Text to token ids and back, as the reference implementation (Hugging Face `tokenizers`) does it.
/// Copies share one immutable state; any thread may call any method.
class Tokenizer {
 public:
  /// Reads a Hugging Face model folder: tokenizer.json, or vocab.json with merges.txt;
  /// tokenizer_config.json, special_tokens_map.json, added_tokens.json and chat templates where
  /// they exist. kNotFound when the folder holds no tokenizer.
  static Result<Tokenizer> from_folder(const std::filesystem::path& folder);

  /// Reads a tokenizer.json alone: no named tokens, no chat template. `where` names it in messages.
  static Result<Tokenizer> from_json(std::string_view tokenizer_json, const std::string& where);

  /// What the metadata of a GGUF file describes; `where` names the file in messages.
  static Result<Tokenizer> from_metadata(const TokenizerMetadata& metadata,
                                         const std::string& where);

  /// Reads what serialize() wrote. The bytes are untrusted and needn't outlive the call.
  static Result<Tokenizer> deserialize(std::span<const std::byte> bytes, const std::string& where);

  /// A compact form that loads fast; equal tokenizers give equal bytes.
  std::string serialize() const;

  /// Ill-formed UTF-8 counts as U+FFFD, NUL is a character like any other. Fails when the text
  /// can't be written (no unknown token), is above 64 MiB or makes a regex of the tokenizer give
  /// up.
  Result<std::vector<int32_t>> encode(std::string_view text,
                                      const EncodeOptions& options = {}) const;

  /// Encodes the segments as one text, without the post-processor's tokens (a chat template writes
  /// its own).
  Result<std::vector<int32_t>> encode_segments(std::span<const Segment> segments) const;

  /// Ids without a token are left out. See Detokenizer for text that streams.
  std::string decode(std::span<const int32_t> ids, bool skip_special) const;

  /// One past the largest id.
  int32_t vocab_size() const;
  std::optional<int32_t> token_to_id(std::string_view token) const;
  /// The token as the vocabulary writes it; empty for an id without token.
  std::string token_text(int32_t id) const;
  /// The bytes that the token stands for, which may be part of a character.
  std::string token_bytes(int32_t id) const;
  bool is_special(int32_t id) const;

  std::optional<int32_t> bos_id() const { return named_id("bos_token"); }
  std::optional<int32_t> eos_id() const { return named_id("eos_token"); }
  std::optional<int32_t> pad_id() const { return named_id("pad_token"); }
  /// The text that tokenizer_config.json gives to "bos_token", "eos_token", "unk_token" and so on.
  std::optional<std::string_view> named_token(std::string_view name) const;
  std::optional<int32_t> named_id(std::string_view name) const;
  std::vector<std::string> named_token_names() const;

  /// Empty when there is no template of that name.
  std::string_view chat_template(std::string_view name = "default") const;
  std::vector<std::string> chat_template_names() const;

  /// For Detokenizer.
  const TokenizerParts& parts() const { return *parts_; }

 private:
  explicit Tokenizer(std::shared_ptr<const TokenizerParts> parts) : parts_(std::move(parts)) {}
  static Result<Tokenizer> wrap(Result<std::shared_ptr<const TokenizerParts>> parts);

  std::shared_ptr<const TokenizerParts> parts_;
};

}  // namespace legato::tokenizer
