#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tokenizer/definition.h"

namespace legato::tokenizer {

/// Working memory of one encode call, reused from piece to piece.
struct ModelScratch {
  /// BPE: a symbol of the piece, linked to its neighbours (-1: none).
  struct Symbol {
    uint32_t id;
    int32_t previous;
    int32_t next;
    bool merged_away;
  };
  /// BPE: a merge that may be due.
  struct Candidate {
    uint32_t rank;
    int32_t position;
  };
  /// Unigram: the best way to reach one byte offset; `start` is -1 while there is none.
  struct Step {
    double score;
    int32_t start;
    int32_t id;
  };
  /// SentencePiece BPE: a stretch of the piece with its token (-1: none), linked to its neighbours;
  /// size 0 when it was merged into the one before.
  struct Span {
    size_t begin;
    size_t size;
    int32_t id;
    int32_t previous;
    int32_t next;
  };
  struct SpanCandidate {
    double score;
    size_t size;
    int32_t left;
    int32_t id;
  };

  std::vector<uint32_t> ids;
  std::vector<uint32_t> ranks;
  std::vector<Symbol> symbols;
  std::vector<Candidate> candidates;
  std::vector<Step> lattice;
  std::vector<Span> spans;
  std::vector<SpanCandidate> span_candidates;
};

/// Turns one piece of text into ids. Immutable; any thread may call it with its own scratch.
class Model {
 public:
  virtual ~Model() = default;
  /// `piece` is well-formed UTF-8 and not empty. Appends to `ids`.
  virtual Status tokenize(std::string_view piece, ModelScratch& scratch,
                          std::vector<int32_t>& ids) const = 0;
};

using ModelPtr = std::unique_ptr<const Model>;

/// What a model is made from; it must outlive the model.
struct ModelParts {
  const Json& settings;
  const Vocabulary& vocabulary;
  std::span<const Merge> merges;
  std::span<const double> scores;
  /// By id: tokens that plain text must never become (special ones of more than one character).
  std::span<const uint8_t> reserved;
  const std::string& where;

  bool is_reserved(int32_t id) const {
    return id >= 0 && static_cast<size_t>(id) < reserved.size() && reserved[id] != 0;
  }
};

Result<ModelPtr> make_model(const ModelParts& parts);

/// One file each.
Result<ModelPtr> make_bpe(const ModelParts& parts);
Result<ModelPtr> make_sentence_piece_bpe(const ModelParts& parts);
Result<ModelPtr> make_unigram(const ModelParts& parts);
Result<ModelPtr> make_word_piece(const ModelParts& parts);
Result<ModelPtr> make_word_level(const ModelParts& parts);

/// Ids of "<0x00>" to "<0xFF>", -1 where missing.
std::vector<int32_t> byte_token_ids(const Vocabulary& vocabulary);

}  // namespace legato::tokenizer
