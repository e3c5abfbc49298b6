#include "tokenizer/split.h"

#include <algorithm>

namespace legato::tokenizer {
namespace {

/// Joins each match with the part before it. Of several matches in a row only the first one is
/// joined.
void merge_with_previous(std::vector<Match>& matches) {
  std::vector<Match> merged;
  bool previous_matched = false;
  for (const Match& match : matches) {
    if (match.matched && !previous_matched && !merged.empty())
      merged.back().end = match.end;
    else
      merged.push_back(match);
    previous_matched = match.matched;
  }
  matches = std::move(merged);
}

void merge_with_next(std::vector<Match>& matches) {
  std::vector<Match> merged;
  bool previous_matched = false;
  for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
    if (match->matched && !previous_matched && !merged.empty())
      merged.back().begin = match->begin;
    else
      merged.push_back(*match);
    previous_matched = match->matched;
  }
  std::reverse(merged.begin(), merged.end());
  matches = std::move(merged);
}

void join_equal_neighbours(std::vector<Match>& matches) {
  std::vector<Match> merged;
  bool previous_matched = false;
  for (const Match& match : matches) {
    if (match.matched == previous_matched && !merged.empty())
      merged.back().end = match.end;
    else
      merged.push_back(match);
    previous_matched = match.matched;
  }
  matches = std::move(merged);
}

}  // namespace

std::optional<SplitBehavior> parse_split_behavior(std::string_view name) {
  if (name == "Removed") return SplitBehavior::kRemoved;
  if (name == "Isolated") return SplitBehavior::kIsolated;
  if (name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
  if (name == "Contiguous") return SplitBehavior::kContiguous;
  return std::nullopt;
}

void resolve_matches(std::vector<Match>& matches, SplitBehavior behavior) {
  switch (behavior) {
    case SplitBehavior::kIsolated:
      return;
    case SplitBehavior::kRemoved:
      std::erase_if(matches, [](const Match& match) { return match.matched; });
      return;
    case SplitBehavior::kMergedWithPrevious:
      return merge_with_previous(matches);
    case SplitBehavior::kMergedWithNext:
      return merge_with_next(matches);
    case SplitBehavior::kContiguous:
      return join_equal_neighbours(matches);
  }
}

}  // namespace legato::tokenizer
