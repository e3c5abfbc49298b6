#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "base/utf8.h"
#include "tokenizer/bpe_merge.h"
#include "tokenizer/fields.h"
#include "tokenizer/merge_cuts.h"
#include "tokenizer/model.h"

namespace legato::tokenizer {
namespace {

// A piece with more symbols is cut where no merge can reach across; one that can't be cut and goes
// on is refused, since every symbol takes 32 bytes while it is merged.
constexpr size_t kLongRun = 64 << 10;
constexpr size_t kMaxRun = 4 << 20;

struct BpeSettings {
  int32_t unknown_id = -1;
  bool byte_fallback = false;
  bool ignore_merges = false;
  bool fuse_unknown = false;
  std::string prefix;
  std::string suffix;
};

class Bpe : public Model {
 public:
  Bpe(BpeSettings settings, const ModelParts& parts)
      : settings_(std::move(settings)),
        vocabulary_(parts.vocabulary),
        merges_(parts.merges, parts.reserved),
        merge_list_(parts.merges),
        where_(parts.where),
        reserved_(parts.reserved.begin(), parts.reserved.end()) {
    if (settings_.byte_fallback) byte_ids_ = byte_token_ids(vocabulary_);
    for (char32_t c = 0; c < short_ids_.size(); ++c) {
      std::string text;
      append_utf8(c, text);
      short_ids_[c] = vocabulary_.find(text);
    }
  }

  Status tokenize(std::string_view piece, ModelScratch& scratch,
                  std::vector<int32_t>& ids) const override {
    if (settings_.ignore_merges) {
      const int32_t whole = vocabulary_.find(piece);
      if (whole >= 0 && !is_reserved(whole)) {
        ids.push_back(whole);
        return {};
      }
    }
    scratch.ids.clear();
    Run run{scratch, ids};
    first_symbols(piece, run);
    if (scratch.ids.size() > kMaxRun)
      return fail(Code::kResourceExhausted, where_,
                  fmt::format("a word of {} bytes can't be cut up, expected at most {} symbols",
                              piece.size(), kMaxRun));
    finish(run);
    return {};
  }

 private:
  bool is_reserved(int32_t id) const {
    return static_cast<size_t>(id) < reserved_.size() && reserved_[id] != 0;
  }

  /// Symbols that are not merged yet, and where their ids go.
  struct Run {
    ModelScratch& scratch;
    std::vector<int32_t>& out;
  };

  void push(uint32_t id, Run& run) const {
    std::vector<uint32_t>& symbols = run.scratch.ids;
    if (symbols.size() >= kLongRun && cuts().may_cut(symbols.back(), id)) finish(run);
    symbols.push_back(id);
  }

  void finish(Run& run) const {
    apply_merges(merges_, run.scratch);
    run.out.insert(run.out.end(), run.scratch.ids.begin(), run.scratch.ids.end());
    run.scratch.ids.clear();
  }

  /// Made when the first long piece comes: most texts have none.
  const MergeCuts& cuts() const {
    std::call_once(cuts_once_, [this] {
      cuts_.emplace(merge_list_, vocabulary_, LeafSymbols{byte_ids_, settings_.unknown_id});
    });
    return *cuts_;
  }

  /// One symbol a character, with the affixes that mark its place in the word.
  void first_symbols(std::string_view piece, Run& run) const {
    int32_t pending_unknown = -1;
    std::string affixed;
    const bool plain = settings_.prefix.empty() && settings_.suffix.empty();
    for (size_t begin = 0; begin < piece.size() && run.scratch.ids.size() <= kMaxRun;) {
      const size_t end = begin + utf8_length(piece[begin]);
      std::string_view symbol = piece.substr(begin, end - begin);
      if (!plain) {
        affixed.clear();
        if (begin > 0) affixed += settings_.prefix;
        affixed += symbol;
        if (end == piece.size()) affixed += settings_.suffix;
        symbol = affixed;
      }
      begin = end;
      const int32_t id = find_symbol(symbol, plain);
      if (id >= 0) {
        flush(pending_unknown, run);
        push(static_cast<uint32_t>(id), run);
      } else if (!append_byte_tokens(symbol, run) && settings_.unknown_id >= 0) {
        if (!settings_.fuse_unknown) flush(pending_unknown, run);
        pending_unknown = settings_.unknown_id;
      }
    }
    flush(pending_unknown, run);
  }

  void flush(int32_t& pending_unknown, Run& run) const {
    if (pending_unknown >= 0) push(static_cast<uint32_t>(pending_unknown), run);
    pending_unknown = -1;
  }

  int32_t find_symbol(std::string_view symbol, bool plain) const {
    if (plain && symbol.size() <= 2) {
      size_t position = 0;
      const char32_t c = next_code_point(symbol, position);
      if (c < short_ids_.size()) return short_ids_[c];
    }
    return vocabulary_.find(symbol);
  }

  bool append_byte_tokens(std::string_view symbol, Run& run) const {
    if (!settings_.byte_fallback) return false;
    const auto id_of = [&](char byte) { return byte_ids_[static_cast<uint8_t>(byte)]; };
    if (std::any_of(symbol.begin(), symbol.end(), [&](char c) { return id_of(c) < 0; }))
      return false;
    for (const char byte : symbol) push(static_cast<uint32_t>(id_of(byte)), run);
    return true;
  }

  BpeSettings settings_;
  const Vocabulary& vocabulary_;
  MergeTable merges_;
  std::span<const Merge> merge_list_;
  std::string where_;
  mutable std::once_flag cuts_once_;
  mutable std::optional<MergeCuts> cuts_;
  std::vector<uint8_t> reserved_;
  std::vector<int32_t> byte_ids_;
  /// Ids of the characters up to U+017F, which hold the byte alphabet.
  std::array<int32_t, 0x180> short_ids_;
};

}  // namespace

Result<ModelPtr> make_bpe(const ModelParts& parts) {
  Fields fields(parts.settings, parts.where, "model");
  const Json& dropout = fields.child("dropout");
  if (!dropout.is_null() && dropout != 0.0)
    return fail(
        Code::kUnsupported, parts.where,
        fmt::format("model.dropout is {}, expected none: it is for training", describe(dropout)));
  BpeSettings settings;
  settings.byte_fallback = fields.flag("byte_fallback", false);
  settings.ignore_merges = fields.flag("ignore_merges", false);
  settings.fuse_unknown = fields.flag("fuse_unk", false);
  settings.prefix = fields.text("continuing_subword_prefix", "");
  settings.suffix = fields.text("end_of_word_suffix", "");
  if (settings.prefix.size() > 64) fields.wrong("continuing_subword_prefix", "at most 64 bytes");
  if (settings.suffix.size() > 64) fields.wrong("end_of_word_suffix", "at most 64 bytes");
  if (fields.has("unk_token")) {
    settings.unknown_id = parts.vocabulary.find(fields.text("unk_token", ""));
    if (settings.unknown_id < 0) fields.wrong("unk_token", "a token of the vocabulary");
  }
  if (!fields.status().ok()) return fields.status();
  return ModelPtr(std::make_unique<Bpe>(std::move(settings), parts));
}

}  // namespace legato::tokenizer
