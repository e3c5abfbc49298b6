#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/trie.h"

namespace legato::tokenizer {

/// A token that is found in the text before the model sees it.
struct AddedToken {
  int32_t id = -1;
  std::string content;
  /// What it decodes to: the content, normalized where it is matched so.
  std::string text;
  /// Only where no character of a word stands beside it.
  bool single_word = false;
  /// Takes the white space on its left, or right, along.
  bool lstrip = false;
  bool rstrip = false;
  /// Looked for in the normalized text, itself normalized.
  bool normalized = true;
  bool special = false;
};

/// Reads the flags and content of one token; `id` stays -1.
Result<AddedToken> parse_added_token(const Json& json, const std::string& where,
                                     const std::string& place);

/// Finds added tokens in text. Immutable; any thread may call it.
class AddedTokens {
 public:
  /// A stretch of text: a token, or plain text with id -1.
  struct Span {
    size_t begin;
    size_t end;
    int32_t id;
  };

  /// Which special tokens count: all, none, or those without a byte of content.
  struct Filter {
    bool parse_special;
    /// As TrackedText::content; empty when there is no content.
    std::string_view content;
  };

  static Result<AddedTokens> create(std::vector<AddedToken> tokens, const Normalizer* normalizer);

  /// Cuts raw text at tokens that are matched before normalizing, or normalized text at the others.
  void split_raw(std::string_view text, const Filter& filter, std::vector<Span>& out) const {
    split(raw_, text, filter, out);
  }
  void split_normalized(std::string_view text, const Filter& filter, std::vector<Span>& out) const {
    split(normalized_, text, filter, out);
  }

  const std::vector<AddedToken>& tokens() const { return tokens_; }
  /// Null when `id` is no added token.
  const AddedToken* find(int32_t id) const;
  const AddedToken* find(std::string_view content) const;
  /// The normalized text has to say which bytes are content.
  bool needs_tracking() const { return has_normalized_special_; }

 private:
  void split(const Trie& trie, std::string_view text, const Filter& filter,
             std::vector<Span>& out) const;

  std::vector<AddedToken> tokens_;
  std::unordered_map<int32_t, size_t> by_id_;
  std::unordered_map<std::string, size_t> by_content_;
  Trie raw_;
  Trie normalized_;
  bool has_normalized_special_ = false;
};

}  // namespace legato::tokenizer
