#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "tokenizer/bpe_merge.h"
#include "tokenizer/fields.h"
#include "tokenizer/model.h"

namespace legato::tokenizer {
namespace {

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
    first_symbols(piece, scratch.ids);
    apply_merges(merges_, scratch);
    ids.insert(ids.end(), scratch.ids.begin(), scratch.ids.end());
    return {};
  }

 private:
  bool is_reserved(int32_t id) const {
    return static_cast<size_t>(id) < reserved_.size() && reserved_[id] != 0;
  }

  /// One symbol a character, with the affixes that mark its place in the word.
  void first_symbols(std::string_view piece, std::vector<uint32_t>& ids) const {
    int32_t pending_unknown = -1;
    std::string affixed;
    const bool plain = settings_.prefix.empty() && settings_.suffix.empty();
    for (size_t begin = 0; begin < piece.size();) {
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
        flush(pending_unknown, ids);
        ids.push_back(static_cast<uint32_t>(id));
      } else if (!append_byte_tokens(symbol, ids) && settings_.unknown_id >= 0) {
        if (!settings_.fuse_unknown) flush(pending_unknown, ids);
        pending_unknown = settings_.unknown_id;
      }
    }
    flush(pending_unknown, ids);
  }

  static void flush(int32_t& pending_unknown, std::vector<uint32_t>& ids) {
    if (pending_unknown >= 0) ids.push_back(static_cast<uint32_t>(pending_unknown));
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

  bool append_byte_tokens(std::string_view symbol, std::vector<uint32_t>& ids) const {
    if (!settings_.byte_fallback) return false;
    const auto id_of = [&](char byte) { return byte_ids_[static_cast<uint8_t>(byte)]; };
    if (std::any_of(symbol.begin(), symbol.end(), [&](char c) { return id_of(c) < 0; }))
      return false;
    for (const char byte : symbol) ids.push_back(static_cast<uint32_t>(id_of(byte)));
    return true;
  }

  BpeSettings settings_;
  const Vocabulary& vocabulary_;
  MergeTable merges_;
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
