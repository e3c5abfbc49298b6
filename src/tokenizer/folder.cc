#include "tokenizer/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/model_path.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 7> kNames = {"bos_token", "eos_token", "unk_token", "sep_token",
                                               "pad_token", "cls_token", "mask_token"};

/// An object, empty when the file is absent.
Result<Json> read_optional(const fs::path& folder, const char* name) {
  if (!model_folder_has(folder, name)) return Json::object();
  LEGATO_ASSIGN_OR_RETURN(Json json, read_folder_json(folder, name));
  if (!json.is_object())
    return fail(Code::kMalformed, (folder / name).string(),
                fmt::format("the document is {}, expected an object", describe(json)));
  return json;
}

/// A token is written as its text or as an object with `content`.
std::optional<std::string> token_content(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object() && json.contains("content") && json["content"].is_string())
    return json["content"].get<std::string>();
  return std::nullopt;
}

/// `added_tokens_decoder` by id: the tokens that the folder adds to tokenizer.json's, or changes.
Result<Json> sorted_added_tokens(const Json& config, const std::string& where) {
  Json list = Json::array();
  const auto found = config.find("added_tokens_decoder");
  if (found == config.end() || found->is_null()) return list;
  Fields fields(*found, where, "added_tokens_decoder");
  if (!fields.status().ok()) return fields.status();
  std::map<int64_t, const Json*> by_id;
  for (const auto& [key, token] : found->items()) {
    int64_t id = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc{} || end != key.data() + key.size())
      return fail(
          Code::kMalformed, where,
          fmt::format("added_tokens_decoder has the key {}, expected an id", describe(Json(key))));
    by_id[id] = &token;
  }
  for (const auto& [id, token] : by_id) list.push_back(*token);
  return list;
}

/// added_tokens.json: text to id, for folders from before added_tokens_decoder.
Result<Json> legacy_added_tokens(const fs::path& folder, const Definition& definition) {
  constexpr const char* kName = "added_tokens.json";
  LEGATO_ASSIGN_OR_RETURN(const Json json, read_optional(folder, kName));
  std::map<int64_t, std::string> by_id;
  for (const auto& [text, id] : json.items()) {
    if (!id.is_number_integer())
      return fail(Code::kMalformed, (folder / kName).string(),
                  fmt::format("the id of {} is {}, expected an integer", describe(Json(text)),
                              describe(id)));
    if (find_token(definition, text) < 0) by_id[id.get<int64_t>()] = text;
  }
  Json list = Json::array();
  for (const auto& [id, text] : by_id) list.push_back({{"content", text}, {"special", false}});
  return list;
}

/// bos_token and the like: remembered by name, and special from now on.
Status add_named_tokens(const Json& config, const Json& map, const std::string& where,
                        Definition& definition) {
  Json special = Json::array();
  const auto add_special = [&](const std::string& content, const Json& source) {
    if (find_token(definition, content) < 0) return;
    for (const Json& token : definition.config["added_tokens"])
      if (token["content"] == content && token["special"] == true) return;
    Json token = source.is_object() ? source : Json::object();
    token["content"] = content;
    token["special"] = true;
    if (!source.is_object()) token["normalized"] = false;
    special.push_back(std::move(token));
  };
  for (const Json* source : {&config, &map}) {
    for (const char* name : kNames) {
      const auto found = source->find(name);
      if (found == source->end() || found->is_null()) continue;
      const auto content = token_content(*found);
      if (!content)
        return fail(Code::kMalformed, where,
                    fmt::format("{} is {}, expected a token", name, describe(*found)));
      Json& named = definition.config["named_tokens"];
      if (!named.contains(name)) named[name] = *content;
      add_special(*content, *found);
    }
    for (const char* name : {"additional_special_tokens", "extra_special_tokens"}) {
      const auto found = source->find(name);
      if (found == source->end()) continue;
      for (const Json& token : *found)
        if (const auto content = token_content(token)) add_special(*content, token);
    }
  }
  return add_tokens(definition, special, where);
}

/// add_bos_token and add_eos_token overrule the post-processor where the config has them.
Status apply_edge_flag(const Json& config, const char* flag, const char* name,
                       const std::string& where, Definition& definition) {
  const auto found = config.find(flag);
  if (found == config.end() || found->is_null()) return {};
  if (!found->is_boolean())
    return fail(Code::kMalformed, where,
                fmt::format("{} is {}, expected true or false", flag, describe(*found)));
  const bool front = std::string_view(name) == "bos_token";
  Json& ids = definition.config[front ? "prefix" : "suffix"];
  const auto text = definition.config["named_tokens"].find(name);
  const int32_t id = text == definition.config["named_tokens"].end()
                         ? -1
                         : find_token(definition, text->get_ref<const std::string&>());
  const bool there = !ids.empty() && (front ? ids.front() : ids.back()) == id;
  if (there == found->get<bool>() || (id < 0 && !found->get<bool>())) return {};
  if (id < 0)
    return fail(Code::kMalformed, where, fmt::format("{} is true, but there is no {}", flag, name));
  if (there)
    ids.erase(front ? ids.begin() : ids.end() - 1);
  else
    ids.insert(front ? ids.begin() : ids.end(), id);
  return {};
}

Result<Definition> read_model_files(const fs::path& folder, const Json& config) {
  constexpr const char* kSingle = "tokenizer.json";
  if (model_folder_has(folder, kSingle)) {
    LEGATO_ASSIGN_OR_RETURN(Json json, read_folder_json(folder, kSingle));
    return parse_definition(std::move(json), (folder / kSingle).string());
  }
  if (model_folder_has(folder, "vocab.json") && model_folder_has(folder, "merges.txt")) {
    LEGATO_ASSIGN_OR_RETURN(Json json, read_vocab_and_merges(folder, config));
    return parse_definition(std::move(json), (folder / "vocab.json").string());
  }
  if (model_folder_has(folder, "tokenizer.model"))
    return fail(
        Code::kNotFound, folder.string(),
        "the folder has a tokenizer.model only, expected tokenizer.json, or vocab.json with "
        "merges.txt");
  return fail(
      Code::kNotFound, folder.string(),
      "the folder has no tokenizer, expected tokenizer.json, or vocab.json with merges.txt");
}

}  // namespace

Result<std::string> read_folder_file(const fs::path& folder, std::string_view name,
                                     uint64_t max_bytes) {
  Result<std::string> text = read_model_file(folder, name, max_bytes);
  if (text.ok() || text.status().code != Code::kNotFound) return text;
  return fail(Code::kInvalidArgument, text.status().where, text.status().message);
}

Result<Json> read_folder_json(const fs::path& folder, std::string_view name) {
  const JsonLimits limits;
  LEGATO_ASSIGN_OR_RETURN(const std::string text, read_folder_file(folder, name, limits.max_bytes));
  return parse_json(text, (folder / name).string(), limits);
}

Result<Definition> read_folder(const fs::path& folder) {
  const std::string where = (folder / "tokenizer_config.json").string();
  LEGATO_ASSIGN_OR_RETURN(const Json config, read_optional(folder, "tokenizer_config.json"));
  LEGATO_ASSIGN_OR_RETURN(const Json map, read_optional(folder, "special_tokens_map.json"));
  LEGATO_ASSIGN_OR_RETURN(Definition definition, read_model_files(folder, config));
  LEGATO_ASSIGN_OR_RETURN(const Json added, sorted_added_tokens(config, where));
  LEGATO_RETURN_IF_ERROR(add_tokens(definition, added, where));
  LEGATO_ASSIGN_OR_RETURN(const Json legacy, legacy_added_tokens(folder, definition));
  LEGATO_RETURN_IF_ERROR(add_tokens(definition, legacy, where));
  LEGATO_RETURN_IF_ERROR(add_named_tokens(config, map, where, definition));
  LEGATO_RETURN_IF_ERROR(apply_edge_flag(config, "add_bos_token", "bos_token", where, definition));
  LEGATO_RETURN_IF_ERROR(apply_edge_flag(config, "add_eos_token", "eos_token", where, definition));
  LEGATO_RETURN_IF_ERROR(read_chat_templates(folder, config, definition));
  return definition;
}

}  // namespace legato::tokenizer
