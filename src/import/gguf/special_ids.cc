#include "import/gguf/special_ids.h"

#include <algorithm>
#include <array>
#include <string>

#include "import/gguf/tokenizer_metadata.h"

namespace legato::importer {
namespace {

constexpr IntRange kAnyId{INT32_MIN, UINT32_MAX};
constexpr int32_t kControl = 3;
constexpr std::array<std::string_view, 7> kTurnEnds = {
    "<|im_end|>", "<|eot_id|>",    "<|eom_id|>",   "<|end_of_text|>",
    "<|end|>",    "<|endoftext|>", "<end_of_turn>"};

std::optional<int64_t> find_id(const GgufMetadata& metadata, std::string_view name) {
  const std::string key = std::string("tokenizer.ggml.").append(name).append("_token_id");
  if (!metadata.has(key)) return std::nullopt;
  const int64_t id = metadata.get_int(key, kAnyId);
  // All ones are a common way to write "none".
  if (id < 0 || id > INT32_MAX) return std::nullopt;
  return id;
}

}  // namespace

GgufSpecialIds read_gguf_special_ids(const GgufMetadata& metadata) {
  GgufSpecialIds ids;
  for (const std::string_view name : {"eos", "eot", "eom"})
    if (const auto id = find_id(metadata, name)) ids.ends.push_back(*id);
  const auto tokens = metadata.get_texts(kGgufTokensKey, kMaxGgufTokens);
  const auto kinds = metadata.get_ints(kGgufTokenTypesKey, kMaxGgufTokens);
  for (size_t id = 0; id < std::min(tokens.size(), kinds.size()); ++id)
    if (kinds[id] == kControl &&
        std::find(kTurnEnds.begin(), kTurnEnds.end(), tokens[id]) != kTurnEnds.end())
      ids.ends.push_back(static_cast<int64_t>(id));
  std::sort(ids.ends.begin(), ids.ends.end());
  ids.ends.erase(std::unique(ids.ends.begin(), ids.ends.end()), ids.ends.end());
  ids.begin = find_id(metadata, "bos");
  ids.padding = find_id(metadata, "padding");
  return ids;
}

}  // namespace legato::importer
