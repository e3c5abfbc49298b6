#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/model.h"
#include "tokenizer/trie.h"

namespace legato::tokenizer {
namespace {

// How much worse than the worst token an unknown character is.
constexpr double kUnknownPenalty = 10.0;
// A step through the text costs up to this much.
constexpr size_t kMaxTokenBytes = 1024;
// A byte of a piece takes 16 while its ways are compared.
constexpr size_t kMaxPieceBytes = 8 << 20;

/// The most probable cut of the text into tokens, found by Viterbi's algorithm over byte offsets.
class Unigram : public Model {
 public:
  Unigram(const ModelParts& parts, int32_t unknown_id, bool byte_fallback)
      : vocabulary_(parts.vocabulary),
        scores_(parts.scores),
        unknown_id_(unknown_id),
        where_(parts.where) {
    std::vector<Trie::Entry> entries;
    for (int32_t id = vocabulary_.size() - 1; id >= 0; --id) {
      // Of equal texts the last one counts. A special token's text is matched before the model,
      // never here.
      if (!parts.is_reserved(id)) entries.push_back({vocabulary_.text(id), id});
    }
    trie_ = Trie(std::move(entries));
    if (!scores_.empty())
      unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty;
    if (byte_fallback) byte_ids_ = byte_token_ids(vocabulary_);
    for (const uint8_t flag : parts.reserved) reserved_.push_back(flag);
  }

  Status tokenize(std::string_view piece, ModelScratch& scratch,
                  std::vector<int32_t>& ids) const override {
    if (piece.size() > kMaxPieceBytes)
      return fail(Code::kResourceExhausted, where_,
                  fmt::format("a word of {} bytes can't be cut up, expected at most {}",
                              piece.size(), kMaxPieceBytes));
    auto& lattice = scratch.lattice;
    lattice.assign(piece.size() + 1, {0.0, -1, -1});
    for (size_t start = 0; start < piece.size(); start += utf8_length(piece[start]))
      if (!extend(piece, start, lattice))
        return fail(Code::kInvalidArgument, where_,
                    "the text has a character that the vocabulary can't write, and the model has "
                    "no unk_id");
    collect(piece, lattice, ids);
    return {};
  }

 private:
  using Step = ModelScratch::Step;

  static void offer(Step& target, double score, size_t start, int32_t id) {
    if (target.start >= 0 && score <= target.score) return;
    target = {score, static_cast<int32_t>(start), id};
  }

  bool extend(std::string_view piece, size_t start, std::vector<Step>& lattice) const {
    const double so_far = lattice[start].score;
    const size_t character = utf8_length(piece[start]);
    bool single = false;
    trie_.prefixes(piece.substr(start), [&](size_t length, int32_t id) {
      offer(lattice[start + length], scores_[id] + so_far, start, id);
      single = single || length == character;
    });
    if (single) return true;
    if (unknown_id_ < 0) return false;
    offer(lattice[start + character], unknown_score_ + so_far, start, unknown_id_);
    return true;
  }

  /// Walks back along the best way. Unknown characters in a row are one token, or their bytes.
  void collect(std::string_view piece, const std::vector<Step>& lattice,
               std::vector<int32_t>& ids) const {
    const size_t before = ids.size();
    for (size_t end = piece.size(); end > 0;) {
      const Step& step = lattice[end];
      auto start = static_cast<size_t>(step.start);
      if (step.id != unknown_id_) {
        ids.push_back(step.id);
      } else {
        while (start > 0 && lattice[start].id == unknown_id_)
          start = static_cast<size_t>(lattice[start].start);
        append_unknown(piece.substr(start, end - start), ids);
      }
      end = start;
    }
    std::reverse(ids.begin() + static_cast<ptrdiff_t>(before), ids.end());
  }

  /// In reverse order.
  void append_unknown(std::string_view text, std::vector<int32_t>& ids) const {
    const int32_t whole = vocabulary_.find(text);
    if (whole >= 0 && (static_cast<size_t>(whole) >= reserved_.size() || !reserved_[whole])) {
      ids.push_back(whole);
      return;
    }
    const auto id_of = [&](char byte) { return byte_ids_[static_cast<uint8_t>(byte)]; };
    if (byte_ids_.empty() ||
        std::any_of(text.begin(), text.end(), [&](char c) { return id_of(c) < 0; })) {
      ids.push_back(unknown_id_);
      return;
    }
    for (auto byte = text.rbegin(); byte != text.rend(); ++byte) ids.push_back(id_of(*byte));
  }

  const Vocabulary& vocabulary_;
  std::span<const double> scores_;
  Trie trie_;
  int32_t unknown_id_;
  double unknown_score_ = 0;
  std::vector<int32_t> byte_ids_;
  std::vector<uint8_t> reserved_;
  std::string where_;
};

}  // namespace

Result<ModelPtr> make_unigram(const ModelParts& parts) {
  Fields fields(parts.settings, parts.where, "model");
  const int32_t size = parts.vocabulary.size();
  const auto unknown = static_cast<int32_t>(fields.integer("unk_id", -1, 0, size - 1));
  const bool byte_fallback = fields.flag("byte_fallback", false);
  if (!fields.status().ok()) return fields.status();
  if (parts.scores.size() != static_cast<size_t>(size))
    return fail(Code::kMalformed, parts.where,
                fmt::format("the model has {} scores for {} tokens", parts.scores.size(), size));
  if (!std::all_of(parts.scores.begin(), parts.scores.end(),
                   [](double score) { return std::isfinite(score); }))
    return fail(Code::kMalformed, parts.where, "a token's score is not finite");
  if (parts.vocabulary.longest() > kMaxTokenBytes)
    return fail(Code::kUnsupported, parts.where,
                fmt::format("a token has {} bytes, expected at most {}", parts.vocabulary.longest(),
                            kMaxTokenBytes));
  return ModelPtr(std::make_unique<Unigram>(parts, unknown, byte_fallback));
}

}  // namespace legato::tokenizer
