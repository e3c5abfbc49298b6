#include "tokenizer/model.h"

#include <fmt/format.h>

#include "tokenizer/fields.h"

namespace legato::tokenizer {

Result<ModelPtr> make_model(const ModelParts& parts) {
  LEGATO_ASSIGN_OR_RETURN(const std::string type,
                          component_type(parts.settings, parts.where, "model"));
  if (type == "BPE") return make_bpe(parts);
  if (type == "SentencePieceBPE") return make_sentence_piece_bpe(parts);
  if (type == "Unigram") return make_unigram(parts);
  if (type == "WordPiece") return make_word_piece(parts);
  if (type == "WordLevel") return make_word_level(parts);
  return fail(Code::kUnsupported, parts.where,
              fmt::format("model has type \"{}\", which is not supported", type.substr(0, 80)));
}

std::vector<int32_t> byte_token_ids(const Vocabulary& vocabulary) {
  std::vector<int32_t> ids;
  for (int byte = 0; byte < 256; ++byte)
    ids.push_back(vocabulary.find(fmt::format("<0x{:02X}>", byte)));
  return ids;
}

}  // namespace legato::tokenizer
