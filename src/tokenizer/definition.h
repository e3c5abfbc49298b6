#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "tokenizer/merge_table.h"
#include "tokenizer/vocabulary.h"

namespace legato::tokenizer {

/// Everything a tokenizer is made of, before it is assembled: what tokenizer.json says with its
/// large lists in flat arrays. The compact form of an engine file is exactly this.
struct Definition {
  /// Keys: `normalizer`, `pre_tokenizer`, `decoder`, `model` as in tokenizer.json (the model
  /// without its lists); `prefix` and `suffix`: ids that the post-processor adds; `added_tokens`:
  /// objects with `id`, `content` and flags; `unused` (may be absent): ids without a text;
  /// `named_tokens`: "bos_token" and the like to text; `chat_templates`: name to text.
  Json config;
  Vocabulary vocabulary;
  /// BPE, by rank.
  std::vector<Merge> merges;
  /// Unigram: a log probability for each id.
  std::vector<double> scores;
};

/// Reads a whole tokenizer.json. kUnsupported names a component that is not known.
Result<Definition> parse_definition(std::string_view tokenizer_json, const std::string& where);
Result<Definition> parse_definition(Json tokenizer, const std::string& where);

/// Gives the added tokens of `list` ids as the reference does: the model's where it has the text,
/// else the next free ones. A token that is known already takes over the new flags.
Status add_tokens(Definition& definition, const Json& list, const std::string& where);

/// The id of an added token or a token of the model; -1 when there is none.
int32_t find_token(const Definition& definition, std::string_view text);

/// What the post-processor puts around a text.
struct Surroundings {
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
};

/// Reads tokenizer.json's `post_processor` for single texts.
Result<Surroundings> parse_post_processor(const Json& json, const std::string& where,
                                          const std::string& place);

}  // namespace legato::tokenizer
