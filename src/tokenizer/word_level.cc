#include "tokenizer/fields.h"
#include "tokenizer/model.h"

namespace legato::tokenizer {
namespace {

/// Each piece is a token, or unknown.
class WordLevel : public Model {
 public:
  WordLevel(const ModelParts& parts, int32_t unknown_id)
      : vocabulary_(parts.vocabulary),
        reserved_(parts.reserved.begin(), parts.reserved.end()),
        unknown_id_(unknown_id),
        where_(parts.where) {}

  Status tokenize(std::string_view piece, ModelScratch&, std::vector<int32_t>& ids) const override {
    int32_t id = vocabulary_.find(piece);
    if (id >= 0 && static_cast<size_t>(id) < reserved_.size() && reserved_[id] != 0) id = -1;
    if (id < 0) id = unknown_id_;
    if (id < 0)
      return fail(Code::kInvalidArgument, where_,
                  "the text has a word that the vocabulary lacks, and there is no unk_token");
    ids.push_back(id);
    return {};
  }

 private:
  const Vocabulary& vocabulary_;
  std::vector<uint8_t> reserved_;
  int32_t unknown_id_;
  std::string where_;
};

}  // namespace

Result<ModelPtr> make_word_level(const ModelParts& parts) {
  Fields fields(parts.settings, parts.where, "model");
  const int32_t unknown = parts.vocabulary.find(fields.text("unk_token", ""));
  if (!fields.status().ok()) return fields.status();
  return ModelPtr(std::make_unique<WordLevel>(parts, unknown));
}

}  // namespace legato::tokenizer
