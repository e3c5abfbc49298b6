#include <nlohmann/json.hpp>
#include <optional>

#include "tokenizer/byte_alphabet.h"
#include "tokenizer/fields.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/regex.h"
#include "tokenizer/split.h"

namespace legato::tokenizer {
namespace {

// How GPT-2 cuts text: contractions, words and numbers with one space in front, symbols, white
// space.
constexpr std::string_view kWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Cuts text into words and writes each byte as a character of the byte alphabet.
class ByteLevel : public PreTokenizer {
 public:
  ByteLevel(std::optional<Regex> words, bool add_prefix_space)
      : words_(std::move(words)), add_prefix_space_(add_prefix_space) {}

  Status apply(Pieces& text) const override {
    if (add_prefix_space_) prefix_spaces(text);
    if (words_) {
      LEGATO_RETURN_IF_ERROR(split_pieces(text, SplitBehavior::kIsolated,
                                          [&](std::string_view piece, std::vector<Match>& out) {
                                            return words_->find_all(piece, out);
                                          }));
    }
    std::string mapped;
    mapped.reserve(text.bytes.size() * 5 / 4);
    for (Piece& piece : text.pieces) {
      const size_t begin = mapped.size();
      append_as_characters(text.text(piece), mapped);
      piece.begin = begin;
      piece.end = mapped.size();
    }
    text.bytes = std::move(mapped);
    return {};
  }

 private:
  static void prefix_spaces(Pieces& text) {
    std::string spaced;
    spaced.reserve(text.bytes.size() + text.pieces.size());
    for (Piece& piece : text.pieces) {
      const std::string_view old = text.text(piece);
      const size_t begin = spaced.size();
      if (!old.starts_with(' ')) spaced += ' ';
      spaced += old;
      piece.begin = begin;
      piece.end = spaced.size();
    }
    text.bytes = std::move(spaced);
  }

  std::optional<Regex> words_;
  bool add_prefix_space_;
};

}  // namespace

Result<PreTokenizerPtr> make_byte_level(const Json& json, const std::string& where,
                                        const std::string& place) {
  Fields fields(json, where, place);
  const bool add_prefix_space = fields.flag("add_prefix_space", true);
  const bool use_regex = fields.flag("use_regex", true);
  if (!fields.status().ok()) return fields.status();
  std::optional<Regex> words;
  if (use_regex) {
    LEGATO_ASSIGN_OR_RETURN(words, Regex::compile(kWords, where));
  }
  return PreTokenizerPtr(std::make_unique<ByteLevel>(std::move(words), add_prefix_space));
}

}  // namespace legato::tokenizer
