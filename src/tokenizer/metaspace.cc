#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/split.h"

namespace legato::tokenizer {
namespace {

enum class PrependScheme { kAlways, kFirst, kNever };

/// Writes spaces as a visible character, may put one in front, and cuts before each.
class Metaspace : public PreTokenizer {
 public:
  Metaspace(std::string replacement, PrependScheme scheme, bool split)
      : replacement_(std::move(replacement)), scheme_(scheme), split_(split) {}

  Status apply(Pieces& text) const override {
    std::string replaced;
    replaced.reserve(text.bytes.size() * 5 / 4 + 8);
    for (Piece& piece : text.pieces) {
      const std::string_view old = text.text(piece);
      const size_t begin = replaced.size();
      const bool prepend =
          scheme_ == PrependScheme::kAlways || (scheme_ == PrependScheme::kFirst && piece.at_start);
      if (prepend && !old.starts_with(' ') && !old.starts_with(replacement_))
        replaced += replacement_;
      for (const char c : old) {
        if (c == ' ')
          replaced += replacement_;
        else
          replaced += c;
      }
      piece.begin = begin;
      piece.end = replaced.size();
    }
    text.bytes = std::move(replaced);
    return split_ ? cut(text) : Status{};
  }

 private:
  Status cut(Pieces& text) const {
    return split_pieces(
        text, SplitBehavior::kMergedWithNext, [&](std::string_view piece, std::vector<Match>& out) {
          size_t covered = 0;
          for (size_t found = piece.find(replacement_); found != std::string_view::npos;
               found = piece.find(replacement_, covered)) {
            if (found != covered) out.push_back({covered, found, false});
            covered = found + replacement_.size();
            out.push_back({found, covered, true});
          }
          if (covered != piece.size()) out.push_back({covered, piece.size(), false});
          return Status{};
        });
  }

  std::string replacement_;
  PrependScheme scheme_;
  bool split_;
};

}  // namespace

Result<PreTokenizerPtr> make_metaspace(const Json& json, const std::string& where,
                                       const std::string& place) {
  Fields fields(json, where, place);
  const char32_t replacement = fields.has("replacement") ? fields.character("replacement") : 0x2581;
  // Files from before the scheme had a name only say whether a space is added.
  const bool add_prefix_space = fields.flag("add_prefix_space", true);
  const std::string scheme = fields.text("prepend_scheme", add_prefix_space ? "always" : "never");
  const bool split = fields.flag("split", true);
  if (scheme != "always" && scheme != "first" && scheme != "never")
    fields.wrong("prepend_scheme", "\"always\", \"first\" or \"never\"");
  if (!fields.status().ok()) return fields.status();
  std::string text;
  append_utf8(replacement, text);
  return PreTokenizerPtr(std::make_unique<Metaspace>(std::move(text),
                                                     scheme == "always"  ? PrependScheme::kAlways
                                                     : scheme == "first" ? PrependScheme::kFirst
                                                                         : PrependScheme::kNever,
                                                     split));
}

}  // namespace legato::tokenizer
