#include "tokenizer/tokenizer_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

Result<std::vector<AddedToken>> read_added_tokens(const Json& list, const std::string& where) {
  std::vector<AddedToken> tokens;
  for (const Json& entry : list) {
    LEGATO_ASSIGN_OR_RETURN(AddedToken token, parse_added_token(entry, where, "added token"));
    Fields fields(entry, where, "added token");
    token.id = static_cast<int32_t>(fields.integer("id", -1, 0, Vocabulary::kMaxId));
    if (token.id < 0) fields.wrong("id", "an integer");
    if (!fields.status().ok()) return fields.status();
    tokens.push_back(std::move(token));
  }
  return tokens;
}

/// Special tokens that plain text must not become. A special token of one character is ordinary
/// text in some vocabularies ("!" as padding), so it stays allowed.
std::vector<uint8_t> reserved_ids(const std::vector<AddedToken>& tokens, int32_t size) {
  std::vector<uint8_t> reserved(static_cast<size_t>(size), 0);
  for (const AddedToken& token : tokens)
    if (token.special && token.id < size && count_code_points(token.content) > 1)
      reserved[static_cast<size_t>(token.id)] = 1;
  return reserved;
}

/// Whether `type` occurs in a component or the sequences inside it.
bool mentions(const Json& json, std::string_view type) {
  if (json.is_array())
    return std::any_of(json.begin(), json.end(), [&](const Json& j) { return mentions(j, type); });
  if (!json.is_object()) return false;
  const auto found = json.find("type");
  if (found != json.end() && *found == type) return true;
  const auto list = json.find("decoders");
  return list != json.end() && mentions(*list, type);
}

Status check_ids(const TokenizerParts& parts) {
  for (const auto* list : {&parts.prefix, &parts.suffix})
    for (const int32_t id : *list)
      if (!parts.has(id))
        return fail(Code::kMalformed, parts.where,
                    fmt::format("the post-processor adds token {}, which does not exist", id));
  return {};
}

}  // namespace

Result<std::shared_ptr<const TokenizerParts>> TokenizerParts::assemble(Definition definition,
                                                                       const std::string& where) {
  auto parts = std::make_shared<TokenizerParts>();
  parts->definition = std::move(definition);
  parts->where = where;
  const Json& config = parts->definition.config;
  const auto component = [&](const char* key) {
    const auto found = config.find(key);
    return found == config.end() ? Json() : *found;
  };
  if (const Json json = component("normalizer"); !json.is_null()) {
    LEGATO_ASSIGN_OR_RETURN(parts->normalizer, make_normalizer(json, where, "normalizer"));
  }
  if (const Json json = component("pre_tokenizer"); !json.is_null()) {
    LEGATO_ASSIGN_OR_RETURN(parts->pre_tokenizer, make_pre_tokenizer(json, where, "pre_tokenizer"));
  }
  const Json decoder = component("decoder");
  LEGATO_ASSIGN_OR_RETURN(parts->decoders, make_decoders(decoder, where));
  parts->byte_level = mentions(decoder, "ByteLevel");
  parts->byte_fallback = mentions(decoder, "ByteFallback");
  parts->metaspace = parts->byte_fallback || mentions(decoder, "Metaspace");
  LEGATO_ASSIGN_OR_RETURN(std::vector<AddedToken> tokens,
                          read_added_tokens(config.at("added_tokens"), where));
  const std::vector<uint8_t> reserved = reserved_ids(tokens, parts->vocabulary().size());
  LEGATO_ASSIGN_OR_RETURN(
      parts->model, make_model({config.at("model"), parts->vocabulary(), parts->definition.merges,
                                parts->definition.scores, reserved, parts->where}));
  LEGATO_ASSIGN_OR_RETURN(parts->added,
                          AddedTokens::create(std::move(tokens), parts->normalizer.get()));
  config.at("prefix").get_to(parts->prefix);
  config.at("suffix").get_to(parts->suffix);
  LEGATO_RETURN_IF_ERROR(check_ids(*parts));
  if (const Json ids = component("unused"); !ids.is_null()) ids.get_to(parts->unused);
  std::sort(parts->unused.begin(), parts->unused.end());
  parts->vocab_size = parts->vocabulary().size();
  for (const AddedToken& token : parts->added.tokens())
    parts->vocab_size = std::max(parts->vocab_size, token.id + 1);
  return std::shared_ptr<const TokenizerParts>(std::move(parts));
}

std::string_view TokenizerParts::text(int32_t id) const {
  const AddedToken* token = added.find(id);
  return token != nullptr ? std::string_view(token->text) : vocabulary().text(id);
}

bool TokenizerParts::is_special(int32_t id) const {
  const AddedToken* token = added.find(id);
  return token != nullptr && token->special;
}

bool TokenizerParts::is_written(int32_t id, bool skip_special) const {
  if (!has(id) || (skip_special && is_special(id))) return false;
  return !std::binary_search(unused.begin(), unused.end(), id);
}

}  // namespace legato::tokenizer
