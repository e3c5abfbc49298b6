#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/model.h"
#include "tokenizer/trie.h"

namespace legato::tokenizer {
namespace {

// A step through a word costs up to this much.
constexpr size_t kMaxTokenBytes = 1024;

/// The longest known beginning, then the longest known continuation, and so on; one unknown token
/// for a word that can't be written this way.
class WordPiece : public Model {
 public:
  WordPiece(const ModelParts& parts, int32_t unknown_id, std::string_view prefix,
            size_t max_characters)
      : unknown_id_(unknown_id), max_characters_(max_characters) {
    std::vector<Trie::Entry> first;
    std::vector<Trie::Entry> further;
    for (int32_t id = 0; id < parts.vocabulary.size(); ++id) {
      if (parts.is_reserved(id)) continue;
      const std::string_view text = parts.vocabulary.text(id);
      first.push_back({text, id});
      if (text.starts_with(prefix)) further.push_back({text.substr(prefix.size()), id});
    }
    first_ = Trie(std::move(first));
    further_ = Trie(std::move(further));
  }

  Status tokenize(std::string_view piece, ModelScratch&, std::vector<int32_t>& ids) const override {
    const size_t before = ids.size();
    bool known = count_code_points(piece) <= max_characters_;
    for (size_t begin = 0; known && begin < piece.size();) {
      size_t length = 0;
      int32_t id = -1;
      (begin == 0 ? first_ : further_)
          .prefixes(piece.substr(begin), [&](size_t key_length, int32_t key_id) {
            length = key_length;
            id = key_id;
          });
      known = id >= 0;
      if (known) ids.push_back(id);
      begin += length;
    }
    if (!known) {
      ids.resize(before);
      ids.push_back(unknown_id_);
    }
    return {};
  }

 private:
  Trie first_;
  Trie further_;
  int32_t unknown_id_;
  size_t max_characters_;
};

}  // namespace

Result<ModelPtr> make_word_piece(const ModelParts& parts) {
  Fields fields(parts.settings, parts.where, "model");
  const int32_t unknown = parts.vocabulary.find(fields.text("unk_token", "[UNK]"));
  if (unknown < 0) fields.wrong("unk_token", "a token of the vocabulary");
  const std::string prefix = fields.text("continuing_subword_prefix", "##");
  const auto max_characters =
      static_cast<size_t>(fields.integer("max_input_chars_per_word", 100, 0, 1 << 20));
  if (!fields.status().ok()) return fields.status();
  if (parts.vocabulary.longest() > kMaxTokenBytes)
    return fail(Code::kUnsupported, parts.where, "a token has more than 1024 bytes");
  return ModelPtr(std::make_unique<WordPiece>(parts, unknown, prefix, max_characters));
}

}  // namespace legato::tokenizer
