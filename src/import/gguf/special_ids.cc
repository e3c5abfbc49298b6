#include "import/gguf/special_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "import/gguf/tokenizer_metadata.h"
#include "tokenizer/metadata.h"

namespace legato::importer {
namespace {

constexpr auto kControl = static_cast<int32_t>(tokenizer::TokenKind::kControl);
constexpr std::array<std::string_view, 7> kTurnEnds = {
    "<|im_end|>", "<|eot_id|>",    "<|eom_id|>",   "<|end_of_text|>",
    "<|end|>",    "<|endoftext|>", "<end_of_turn>"};

}  // namespace

std::string gguf_token_id_key(std::string_view name) {
  return fmt::format("tokenizer.ggml.{}_token_id", name);
}

std::optional<int64_t> find_gguf_token_id(const GgufMetadata& metadata, std::string_view name) {
  constexpr IntRange kAnyId{INT32_MIN, UINT32_MAX};
  const std::string key = gguf_token_id_key(name);
  if (!metadata.has(key)) return std::nullopt;
  const int64_t id = metadata.get_int(key, kAnyId);
  // All ones are a common way to write "none".
  if (id < 0 || id > INT32_MAX) return std::nullopt;
  return id;
}

GgufSpecialIds read_gguf_special_ids(const GgufMetadata& metadata) {
  GgufSpecialIds ids;
  for (const std::string_view name : {"eos", "eot", "eom"})
    if (const auto id = find_gguf_token_id(metadata, name)) ids.ends.push_back(*id);
  const auto tokens = metadata.get_texts(kGgufTokensKey, kMaxGgufTokens);
  const auto kinds = metadata.get_ints(kGgufTokenTypesKey, kMaxGgufTokens);
  for (size_t id = 0; id < std::min(tokens.size(), kinds.size()); ++id)
    if (kinds[id] == kControl &&
        std::find(kTurnEnds.begin(), kTurnEnds.end(), tokens[id]) != kTurnEnds.end())
      ids.ends.push_back(static_cast<int64_t>(id));
  std::sort(ids.ends.begin(), ids.ends.end());
  ids.ends.erase(std::unique(ids.ends.begin(), ids.ends.end()), ids.ends.end());
  ids.begin = find_gguf_token_id(metadata, "bos");
  ids.padding = find_gguf_token_id(metadata, "padding");
  return ids;
}

}  // namespace legato::importer
