#include "tokenizer/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "tokenizer/added_tokens.h"
#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

Result<std::string> infer_model_type(const Json& model, const std::string& where) {
  Fields fields(model, where, "model");
  if (!fields.status().ok()) return fields.status();
  if (fields.has("type")) {
    std::string type = fields.text("type", "");
    if (!fields.status().ok()) return fields.status();
    return type;
  }
  // Files from before models were tagged.
  if (fields.has("merges")) return std::string("BPE");
  if (fields.child("vocab").is_array()) return std::string("Unigram");
  return std::string(fields.has("max_input_chars_per_word") ? "WordPiece" : "WordLevel");
}

Status read_vocabulary(const Json& vocab, const std::string& where, Definition& out) {
  if (!vocab.is_object())
    return fail(Code::kMalformed, where,
                fmt::format("model.vocab is {}, expected an object", describe(vocab)));
  std::vector<Vocabulary::Token> tokens;
  tokens.reserve(vocab.size());
  for (const auto& [text, id] : vocab.items()) {
    const bool fits =
        id.is_number_integer() && id.get<int64_t>() >= 0 && id.get<int64_t>() <= Vocabulary::kMaxId;
    if (!fits)
      return fail(Code::kMalformed, where,
                  fmt::format("model.vocab[{}] is {}, expected an integer in [0, {}]",
                              describe(Json(text)), describe(id), Vocabulary::kMaxId));
    tokens.push_back({text, id.get<int32_t>()});
  }
  LEGATO_ASSIGN_OR_RETURN(out.vocabulary, Vocabulary::from_tokens(tokens, where));
  return {};
}

Status read_pieces(const Json& vocab, const std::string& where, Definition& out) {
  if (!vocab.is_array())
    return fail(Code::kMalformed, where,
                fmt::format("model.vocab is {}, expected a list", describe(vocab)));
  std::vector<Vocabulary::Token> tokens;
  for (size_t i = 0; i < vocab.size(); ++i) {
    const Json& pair = vocab[i];
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number())
      return fail(
          Code::kMalformed, where,
          fmt::format("model.vocab[{}] is {}, expected a text and its score", i, describe(pair)));
    tokens.push_back({pair[0].get<std::string>(), static_cast<int32_t>(i)});
    out.scores.push_back(pair[1].get<double>());
  }
  LEGATO_ASSIGN_OR_RETURN(out.vocabulary, Vocabulary::from_tokens(tokens, where));
  return {};
}

/// Both halves of "a b" or ["a", "b"].
bool split_merge(const Json& merge, std::string& left, std::string& right) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    left = merge[0].get<std::string>();
    right = merge[1].get<std::string>();
    return true;
  }
  if (!merge.is_string()) return false;
  const auto& text = merge.get_ref<const std::string&>();
  const size_t space = text.find(' ');
  if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) return false;
  left = text.substr(0, space);
  right = text.substr(space + 1);
  return true;
}

Status read_merges(const Json& model, const std::string& where, Definition& out) {
  Fields fields(model, where, "model");
  const size_t prefix = fields.text("continuing_subword_prefix", "").size();
  const Json& merges = fields.child("merges");
  if (!merges.is_array()) fields.wrong("merges", "a list");
  if (!fields.status().ok()) return fields.status();
  out.merges.reserve(merges.size());
  std::string left;
  std::string right;
  for (size_t i = 0; i < merges.size(); ++i) {
    const auto malformed = [&](std::string_view why) {
      return fail(Code::kMalformed, where,
                  fmt::format("model.merges[{}] is {}, {}", i, describe(merges[i]), why));
    };
    if (!split_merge(merges[i], left, right)) return malformed("expected two tokens");
    const int32_t left_id = out.vocabulary.find(left);
    const int32_t right_id = out.vocabulary.find(right);
    const int32_t result =
        right.size() < prefix ? -1 : out.vocabulary.find(left + right.substr(prefix));
    if (left_id < 0 || right_id < 0 || result < 0)
      return malformed("of which a part or the whole is not in the vocabulary");
    out.merges.push_back({static_cast<uint32_t>(left_id), static_cast<uint32_t>(right_id),
                          static_cast<uint32_t>(result)});
  }
  return {};
}

Status read_model(Json& model, const std::string& where, Definition& out) {
  LEGATO_ASSIGN_OR_RETURN(const std::string type, infer_model_type(model, where));
  static const Json absent;
  const auto found = model.find("vocab");
  const Json& vocab = found == model.end() ? absent : *found;
  LEGATO_RETURN_IF_ERROR(type == "Unigram" ? read_pieces(vocab, where, out)
                                           : read_vocabulary(vocab, where, out));
  if (type == "BPE") LEGATO_RETURN_IF_ERROR(read_merges(model, where, out));
  model.erase("vocab");
  model.erase("merges");
  model["type"] = type;
  out.config["model"] = std::move(model);
  return {};
}

Json to_json(const AddedToken& token) {
  return {{"id", token.id},          {"content", token.content}, {"single_word", token.single_word},
          {"lstrip", token.lstrip},  {"rstrip", token.rstrip},   {"normalized", token.normalized},
          {"special", token.special}};
}

}  // namespace

Status add_tokens(Definition& definition, const Json& list, const std::string& where) {
  Json& added = definition.config["added_tokens"];
  std::unordered_map<std::string, size_t> known;
  int32_t largest = -1;
  for (size_t i = 0; i < added.size(); ++i) {
    known.emplace(added[i]["content"].get<std::string>(), i);
    largest = std::max(largest, added[i]["id"].get<int32_t>());
  }
  for (const Json& entry : list) {
    LEGATO_ASSIGN_OR_RETURN(AddedToken token, parse_added_token(entry, where, "added token"));
    if (token.content.empty()) continue;
    if (const auto found = known.find(token.content); found != known.end()) {
      token.id = added[found->second]["id"].get<int32_t>();
      added[found->second] = to_json(token);
      continue;
    }
    token.id = definition.vocabulary.find(token.content);
    if (token.id < 0) token.id = std::max(largest + 1, definition.vocabulary.count());
    if (token.id > Vocabulary::kMaxId)
      return fail(Code::kMalformed, where, "there are more added tokens than ids");
    largest = std::max(largest, token.id);
    known.emplace(token.content, added.size());
    added.push_back(to_json(token));
  }
  return {};
}

int32_t find_token(const Definition& definition, std::string_view text) {
  for (const Json& token : definition.config.at("added_tokens"))
    if (token.at("content") == text) return token.at("id").get<int32_t>();
  return definition.vocabulary.find(text);
}

Result<Definition> parse_definition(std::string_view tokenizer_json, const std::string& where) {
  LEGATO_ASSIGN_OR_RETURN(Json tokenizer, parse_json(tokenizer_json, where));
  return parse_definition(std::move(tokenizer), where);
}

Result<Definition> parse_definition(Json tokenizer, const std::string& where) {
  Fields fields(tokenizer, where, "");
  if (!fields.has("model")) fields.wrong("model", "an object");
  const Json& added = fields.child("added_tokens");
  if (!added.is_null() && !added.is_array()) fields.wrong("added_tokens", "a list");
  if (!fields.status().ok()) return fields.status();
  LEGATO_ASSIGN_OR_RETURN(
      const Surroundings around,
      parse_post_processor(fields.child("post_processor"), where, "post_processor"));
  Definition definition;
  definition.config = Json::object();
  LEGATO_RETURN_IF_ERROR(read_model(tokenizer["model"], where, definition));
  for (const char* key : {"normalizer", "pre_tokenizer", "decoder"})
    definition.config[key] = fields.child(key);
  definition.config["prefix"] = around.prefix;
  definition.config["suffix"] = around.suffix;
  definition.config["added_tokens"] = Json::array();
  definition.config["named_tokens"] = Json::object();
  definition.config["chat_templates"] = Json::object();
  LEGATO_RETURN_IF_ERROR(add_tokens(definition, added, where));
  return definition;
}

}  // namespace legato::tokenizer
