#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/regex.h"

namespace legato::tokenizer {

/// What becomes of the stretches that a delimiter matched.
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

/// By tokenizer.json's name ("MergedWithNext"); nullopt for another word.
std::optional<SplitBehavior> parse_split_behavior(std::string_view name);

/// Turns the matches that cover one piece into its parts.
void resolve_matches(std::vector<Match>& matches, SplitBehavior behavior);

/// Cuts every piece. `find(text, matches)` covers the text of one piece with matches.
template <typename Find>
Status split_pieces(Pieces& text, SplitBehavior behavior, Find&& find) {
  std::vector<Piece> result;
  result.reserve(text.pieces.size());
  std::vector<Match> matches;
  for (const Piece& piece : text.pieces) {
    matches.clear();
    LEGATO_RETURN_IF_ERROR(find(text.text(piece), matches));
    resolve_matches(matches, behavior);
    for (const Match& part : matches) {
      if (part.begin == part.end) continue;
      result.push_back(
          {piece.begin + part.begin, piece.begin + part.end, piece.at_start && part.begin == 0});
    }
  }
  text.pieces = std::move(result);
  return {};
}

}  // namespace legato::tokenizer
