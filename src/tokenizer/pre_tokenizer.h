#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace legato::tokenizer {

/// Bytes [begin, end) of Pieces::bytes.
struct Piece {
  size_t begin = 0;
  size_t end = 0;
  /// It begins where the whole input does.
  bool at_start = false;
};

/// A text and how it is cut up. Pieces are in order and not empty; the model sees each one alone.
struct Pieces {
  std::string bytes;
  std::vector<Piece> pieces;

  std::string_view text(const Piece& piece) const {
    return std::string_view(bytes).substr(piece.begin, piece.end - piece.begin);
  }
};

/// One step that cuts text into pieces. Immutable; any thread may call it.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual Status apply(Pieces& text) const = 0;
};

using PreTokenizerPtr = std::unique_ptr<const PreTokenizer>;

/// Makes what tokenizer.json's `pre_tokenizer` describes. `place` names it in messages.
Result<PreTokenizerPtr> make_pre_tokenizer(const Json& json, const std::string& where,
                                           const std::string& place);

/// The families, one file each.
Result<PreTokenizerPtr> make_byte_level(const Json& json, const std::string& where,
                                        const std::string& place);
Result<PreTokenizerPtr> make_metaspace(const Json& json, const std::string& where,
                                       const std::string& place);
Result<PreTokenizerPtr> make_pattern_split(const Json& json, const std::string& where,
                                           const std::string& place);
/// Whitespace, WhitespaceSplit, BertPreTokenizer, Digits, Punctuation and CharDelimiterSplit.
Result<PreTokenizerPtr> make_character_split(const std::string& type, const Json& json,
                                             const std::string& where, const std::string& place);

}  // namespace legato::tokenizer
