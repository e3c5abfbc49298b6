#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tokenizer/definition.h"
#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

constexpr size_t kMaxAdded = 64;

Result<int32_t> token_id(const Json& json, const std::string& where, const std::string& place) {
  if (json.is_number_integer()) {
    const auto id = json.get<int64_t>();
    if (id >= 0 && id <= Vocabulary::kMaxId) return static_cast<int32_t>(id);
  }
  return fail(Code::kMalformed, where,
              fmt::format("{} is {}, expected a token id", place, describe(json)));
}

Result<Surroundings> parse_template(const Json& json, const std::string& where,
                                    const std::string& place) {
  Fields fields(json, where, place);
  const Json& single = fields.child("single");
  const Json& tokens = fields.child("special_tokens");
  if (!single.is_array() || single.size() > kMaxAdded) fields.wrong("single", "a short list");
  if (!tokens.is_null() && !tokens.is_object()) fields.wrong("special_tokens", "an object");
  if (!fields.status().ok()) return fields.status();
  Surroundings result;
  int sequences = 0;
  for (const Json& part : single) {
    Fields entry(part, where, place + ".single");
    if (entry.has("Sequence")) {
      ++sequences;
      continue;
    }
    Fields special(entry.child("SpecialToken"), where, place + ".single.SpecialToken");
    const std::string name = special.required_text("id");
    if (!special.status().ok()) return special.status();
    const auto known = tokens.find(name);
    if (known == tokens.end() || !known->is_object() || !known->contains("ids") ||
        !known->at("ids").is_array() || known->at("ids").size() > kMaxAdded)
      return fail(Code::kMalformed, where,
                  fmt::format("{}.special_tokens has no ids for {}", place, describe(Json(name))));
    for (const Json& id : known->at("ids")) {
      LEGATO_ASSIGN_OR_RETURN(const int32_t value, token_id(id, where, place + ".special_tokens"));
      (sequences == 0 ? result.prefix : result.suffix).push_back(value);
    }
  }
  if (sequences != 1)
    return fail(Code::kUnsupported, where,
                fmt::format("{}.single has the text {} times, expected once", place, sequences));
  return result;
}

/// BERT and RoBERTa: [CLS] text [SEP].
Result<Surroundings> parse_pair(const Json& json, const std::string& where,
                                const std::string& place) {
  Surroundings result;
  Fields fields(json, where, place);
  for (const char* key : {"cls", "sep"}) {
    const Json& pair = fields.child(key);
    if (!pair.is_array() || pair.size() != 2) fields.wrong(key, "a list of a token and its id");
    if (!fields.status().ok()) return fields.status();
    LEGATO_ASSIGN_OR_RETURN(const int32_t id, token_id(pair[1], where, fields.name(key)));
    (key[0] == 'c' ? result.prefix : result.suffix).push_back(id);
  }
  return result;
}

}  // namespace

Result<Surroundings> parse_post_processor(const Json& json, const std::string& where,
                                          const std::string& place) {
  if (json.is_null()) return Surroundings{};
  LEGATO_ASSIGN_OR_RETURN(const std::string type, component_type(json, where, place));
  if (type == "ByteLevel") return Surroundings{};  // it only moves offsets
  if (type == "TemplateProcessing") return parse_template(json, where, place);
  if (type == "BertProcessing" || type == "RobertaProcessing")
    return parse_pair(json, where, place);
  if (type != "Sequence")
    return fail(
        Code::kUnsupported, where,
        fmt::format("{} has type \"{}\", which is not supported", place, type.substr(0, 80)));
  Fields fields(json, where, place);
  const Json& list = fields.child("processors");
  if (!list.is_array() || list.size() > kMaxAdded) fields.wrong("processors", "a short list");
  if (!fields.status().ok()) return fields.status();
  Surroundings result;
  for (size_t i = 0; i < list.size(); ++i) {
    LEGATO_ASSIGN_OR_RETURN(
        const Surroundings outer,
        parse_post_processor(list[i], where, fmt::format("{}.processors[{}]", place, i)));
    result.prefix.insert(result.prefix.begin(), outer.prefix.begin(), outer.prefix.end());
    result.suffix.insert(result.suffix.end(), outer.suffix.begin(), outer.suffix.end());
    if (result.prefix.size() + result.suffix.size() > kMaxAdded)
      return fail(Code::kUnsupported, where,
                  fmt::format("{} adds more than {} tokens", place, kMaxAdded));
  }
  return result;
}

}  // namespace legato::tokenizer
