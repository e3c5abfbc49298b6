#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tokenizer/tokenizer_parts.h"

namespace legato::tokenizer {

/// One encode call: the way of a text through added tokens, normalizer, pre-tokenizer and model.
/// One thread.
class Encoder {
 public:
  Encoder(const TokenizerParts& parts, bool parse_special)
      : parts_(parts), parse_special_(parse_special) {}

  /// Appends the ids of `text`, which is well-formed. `content` is empty or says for each byte
  /// whether it may be part of a special token (0) or not (1).
  Status encode(std::string_view text, std::string_view content, std::vector<int32_t>& ids);

 private:
  Status encode_raw_span(TrackedText text, std::vector<int32_t>& ids);
  Status encode_plain(std::string_view text, bool at_start, std::vector<int32_t>& ids);
  Status encode_piece(std::string_view piece, std::vector<int32_t>& ids);

  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  /// Where in the output the ids of a piece stand that was seen before.
  struct Seen {
    size_t begin;
    size_t count;
  };

  const TokenizerParts& parts_;
  bool parse_special_;
  ModelScratch scratch_;
  std::unordered_map<std::string, Seen, TextHash, std::equal_to<>> seen_;
};

}  // namespace legato::tokenizer
