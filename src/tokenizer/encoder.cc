#include "tokenizer/encoder.h"

namespace legato::tokenizer {
namespace {

// Pieces that are remembered: longer ones hardly occur twice, shorter ones cost nothing.
constexpr size_t kMinSeenBytes = 3;
constexpr size_t kMaxSeenBytes = 64;
constexpr size_t kMaxSeen = 1 << 15;
// How many times longer normalizing may make a text; one character becomes at most 18 by Unicode's
// rules.
constexpr size_t kMaxGrowth = 32;

}  // namespace

Status Encoder::encode(std::string_view text, std::string_view content, std::vector<int32_t>& ids) {
  std::vector<AddedTokens::Span> spans;
  parts_.added.split_raw(text, {parse_special_, content}, spans);
  const bool track = !content.empty() && parse_special_ && parts_.added.needs_tracking();
  for (const AddedTokens::Span& span : spans) {
    if (span.id >= 0) {
      ids.push_back(span.id);
      continue;
    }
    TrackedText part;
    part.bytes = text.substr(span.begin, span.end - span.begin);
    if (track) part.content = content.substr(span.begin, span.end - span.begin);
    part.at_start = span.begin == 0;
    part.max_bytes = kMaxGrowth * part.bytes.size() + (1 << 20);
    LEGATO_RETURN_IF_ERROR(encode_raw_span(std::move(part), ids));
  }
  return {};
}

Status Encoder::encode_raw_span(TrackedText text, std::vector<int32_t>& ids) {
  if (parts_.normalizer) LEGATO_RETURN_IF_ERROR(parts_.normalizer->apply(text));
  std::vector<AddedTokens::Span> spans;
  parts_.added.split_normalized(text.bytes, {parse_special_, text.content}, spans);
  for (const AddedTokens::Span& span : spans) {
    if (span.id >= 0) {
      ids.push_back(span.id);
      continue;
    }
    LEGATO_RETURN_IF_ERROR(
        encode_plain(std::string_view(text.bytes).substr(span.begin, span.end - span.begin),
                     text.at_start && span.begin == 0, ids));
  }
  return {};
}

Status Encoder::encode_plain(std::string_view text, bool at_start, std::vector<int32_t>& ids) {
  if (text.empty()) return {};
  Pieces pieces{std::string(text), {{0, text.size(), at_start}}};
  if (parts_.pre_tokenizer) LEGATO_RETURN_IF_ERROR(parts_.pre_tokenizer->apply(pieces));
  for (const Piece& piece : pieces.pieces)
    if (piece.begin != piece.end) LEGATO_RETURN_IF_ERROR(encode_piece(pieces.text(piece), ids));
  return {};
}

Status Encoder::encode_piece(std::string_view piece, std::vector<int32_t>& ids) {
  const bool remember = piece.size() >= kMinSeenBytes && piece.size() <= kMaxSeenBytes;
  const size_t begin = ids.size();
  if (remember) {
    if (const auto found = seen_.find(piece); found != seen_.end()) {
      const Seen seen = found->second;
      ids.resize(begin + seen.count);
      std::copy_n(ids.begin() + static_cast<ptrdiff_t>(seen.begin), seen.count,
                  ids.begin() + static_cast<ptrdiff_t>(begin));
      return {};
    }
  }
  LEGATO_RETURN_IF_ERROR(parts_.model->tokenize(piece, scratch_, ids));
  if (remember && seen_.size() < kMaxSeen) seen_.emplace(piece, Seen{begin, ids.size() - begin});
  return {};
}

}  // namespace legato::tokenizer
