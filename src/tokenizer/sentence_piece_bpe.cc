#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/model.h"

namespace legato::tokenizer {
namespace {

constexpr std::string_view kVisibleSpace = "\xE2\x96\x81";

/// BPE as SentencePiece does it (Kudo and Richardson 2018): neighbours become one where their text
/// is a token, the one of the highest score first and of equal ones the leftmost. No list of
/// merges. A score of minus infinity keeps a token out.
class SentencePieceBpe : public Model {
 public:
  SentencePieceBpe(const ModelParts& parts, int32_t unknown_id)
      : vocabulary_(parts.vocabulary),
        scores_(parts.scores),
        where_(parts.where),
        unknown_id_(unknown_id),
        byte_ids_(byte_token_ids(parts.vocabulary)),
        words_stand_alone_(check_words()) {}

  Status tokenize(std::string_view piece, ModelScratch& scratch,
                  std::vector<int32_t>& ids) const override {
    bool after_unknown = false;
    while (!piece.empty()) {
      const std::string_view word = piece.substr(0, word_bytes(piece));
      merge(word, scratch);
      for (int32_t i = 0; i >= 0; i = scratch.spans[static_cast<size_t>(i)].next)
        LEGATO_RETURN_IF_ERROR(
            append(scratch.spans[static_cast<size_t>(i)], word, after_unknown, ids));
      piece.remove_prefix(word.size());
    }
    return {};
  }

 private:
  using Span = ModelScratch::Span;
  using Candidate = ModelScratch::SpanCandidate;

  /// The token that may stand for this text, or -1.
  int32_t find(std::string_view text) const {
    const int32_t id = vocabulary_.find(text);
    return id >= 0 && std::isfinite(scores_[static_cast<size_t>(id)]) ? id : -1;
  }

  /// Whether no token has a visible space behind another character: then no merge crosses the
  /// beginning of a word, and words are merged one by one.
  bool check_words() const {
    for (int32_t id = 0; id < vocabulary_.size(); ++id) {
      const std::string_view text = vocabulary_.text(id);
      if (!std::isfinite(scores_[static_cast<size_t>(id)])) continue;
      if (word_end(text) != text.size()) return false;
    }
    return true;
  }

  /// Where a visible space follows another character for the first time.
  static size_t word_end(std::string_view text) {
    size_t begin = 0;
    while (text.substr(begin).starts_with(kVisibleSpace)) begin += kVisibleSpace.size();
    return std::min(text.find(kVisibleSpace, begin), text.size());
  }
  size_t word_bytes(std::string_view text) const {
    return words_stand_alone_ ? word_end(text) : text.size();
  }

  static bool later(const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score < b.score : a.left > b.left;
  }

  void merge(std::string_view word, ModelScratch& scratch) const {
    std::vector<Span>& spans = scratch.spans;
    std::vector<Candidate>& heap = scratch.span_candidates;
    spans.clear();
    heap.clear();
    for (size_t begin = 0; begin < word.size();) {
      const size_t size = utf8_length(word[begin]);
      const auto index = static_cast<int32_t>(spans.size());
      spans.push_back({begin, size, find(word.substr(begin, size)), index - 1, index + 1});
      begin += size;
    }
    spans.back().next = -1;
    for (size_t i = 0; i + 1 < spans.size(); ++i)
      consider(word, spans, static_cast<int32_t>(i), heap);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      const Candidate best = heap.back();
      heap.pop_back();
      Span& left = spans[static_cast<size_t>(best.left)];
      // Spans have moved on when their sizes no longer add up to the candidate's.
      if (left.size == 0 || left.next < 0) continue;
      Span& right = spans[static_cast<size_t>(left.next)];
      if (left.size + right.size != best.size) continue;
      left.size = best.size;
      left.id = best.id;
      left.next = right.next;
      right.size = 0;
      if (left.next >= 0) spans[static_cast<size_t>(left.next)].previous = best.left;
      if (left.previous >= 0) consider(word, spans, left.previous, heap);
      if (left.next >= 0) consider(word, spans, best.left, heap);
    }
  }

  void consider(std::string_view word, const std::vector<Span>& spans, int32_t index,
                std::vector<Candidate>& heap) const {
    const Span& left = spans[static_cast<size_t>(index)];
    const size_t size = left.size + spans[static_cast<size_t>(left.next)].size;
    const int32_t id = find(word.substr(left.begin, size));
    if (id < 0) return;
    heap.push_back({scores_[static_cast<size_t>(id)], size, index, id});
    std::push_heap(heap.begin(), heap.end(), later);
  }

  /// A span as its token, its bytes, or the unknown token (one for a run of them).
  Status append(const Span& span, std::string_view word, bool& after_unknown,
                std::vector<int32_t>& ids) const {
    if (span.id >= 0) {
      ids.push_back(span.id);
      after_unknown = false;
      return {};
    }
    const std::string_view text = word.substr(span.begin, span.size);
    const auto byte_id = [&](char byte) { return byte_ids_[static_cast<uint8_t>(byte)]; };
    if (std::all_of(text.begin(), text.end(), [&](char c) { return byte_id(c) >= 0; })) {
      for (const char byte : text) ids.push_back(byte_id(byte));
      after_unknown = false;
      return {};
    }
    if (unknown_id_ < 0)
      return fail(Code::kInvalidArgument, where_,
                  fmt::format("the text has \"{}\", for which there is no token", text));
    if (!after_unknown) ids.push_back(unknown_id_);
    after_unknown = true;
    return {};
  }

  const Vocabulary& vocabulary_;
  std::span<const double> scores_;
  const std::string& where_;
  int32_t unknown_id_;
  std::vector<int32_t> byte_ids_;
  bool words_stand_alone_;
};

}  // namespace

Result<ModelPtr> make_sentence_piece_bpe(const ModelParts& parts) {
  Fields fields(parts.settings, parts.where, "model");
  const auto unknown = static_cast<int32_t>(fields.integer("unk_id", -1, -1, Vocabulary::kMaxId));
  if (!fields.status().ok()) return fields.status();
  const auto size = static_cast<size_t>(parts.vocabulary.size());
  const bool any_nan = std::any_of(parts.scores.begin(), parts.scores.end(),
                                   [](double score) { return std::isnan(score); });
  if (parts.scores.size() != size || any_nan)
    return fail(Code::kMalformed, parts.where,
                fmt::format("{} for {}, expected a number for each",
                            counted(parts.scores.size(), "score"), counted(size, "token")));
  const bool known = unknown >= 0 && parts.vocabulary.contains(unknown);
  return ModelPtr(std::make_unique<SentencePieceBpe>(parts, known ? unknown : -1));
}

}  // namespace legato::tokenizer
