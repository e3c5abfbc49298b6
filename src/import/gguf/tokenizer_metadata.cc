#include "import/gguf/tokenizer_metadata.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "base/counted.h"
#include "base/log.h"
#include "import/gguf/special_ids.h"
#include "tokenizer/metadata.h"

namespace legato::importer {
namespace {

constexpr std::string_view kModelKey = "tokenizer.ggml.model";
constexpr std::string_view kPreKey = "tokenizer.ggml.pre";
constexpr std::string_view kTemplateKey = "tokenizer.chat_template";
constexpr uint64_t kMaxMerges = 1u << 20;
constexpr uint64_t kMaxTemplates = 64;
constexpr size_t kMaxTemplateBytes = 1u << 20;

/// GGUF's word for a token's part, the usual one, and the id where SentencePiece files don't say.
struct NamedId {
  std::string_view theirs;
  const char* ours;
  int32_t otherwise = -1;
};
constexpr std::array kNamedIds = {
    NamedId{"bos", "bos_token", 1},     NamedId{"eos", "eos_token", 2},
    NamedId{"unknown", "unk_token", 0}, NamedId{"padding", "pad_token"},
    NamedId{"seperator", "sep_token"},  NamedId{"cls", "cls_token"},
    NamedId{"mask", "mask_token"},
};

void read_named_ids(const GgufMetadata& metadata, tokenizer::TokenizerMetadata& out) {
  const auto size = static_cast<int64_t>(out.tokens.size());
  for (const NamedId& named : kNamedIds) {
    const std::string key = gguf_token_id_key(named.theirs);
    const bool assumed = !metadata.has(key) && out.model == "llama";
    const int64_t id =
        assumed ? named.otherwise : find_gguf_token_id(metadata, named.theirs).value_or(-1);
    if (id >= 0 && id < size) {
      out.named_ids[named.ours] = static_cast<int32_t>(id);
    } else if (id >= 0 && !assumed) {
      log_warning(fmt::format("{}: {} {} is outside the {} and ignored", metadata.where(), key, id,
                              counted(size, "token")));
    }
  }
}

void read_template(const GgufMetadata& metadata, const std::string& key, const std::string& name,
                   tokenizer::TokenizerMetadata& out) {
  const std::string_view text = metadata.get_text(key);
  if (text.size() > kMaxTemplateBytes)
    metadata.refuse(
        key, fmt::format("has {} bytes, expected at most {}", text.size(), kMaxTemplateBytes));
  out.chat_templates[name] = std::string(text);
}

void read_templates(const GgufMetadata& metadata, tokenizer::TokenizerMetadata& out) {
  const std::string key(kTemplateKey);
  if (metadata.has(key)) read_template(metadata, key, "default", out);
  for (const std::string_view name :
       metadata.get_texts("tokenizer.chat_templates", kMaxTemplates)) {
    const std::string named = fmt::format("{}.{}", kTemplateKey, name);
    if (metadata.has(named)) read_template(metadata, named, std::string(name), out);
  }
}

std::optional<bool> flag(const GgufMetadata& metadata, std::string_view key) {
  if (!metadata.has(key)) return std::nullopt;
  return metadata.get_bool(key, false);
}

}  // namespace

Result<tokenizer::Tokenizer> read_gguf_tokenizer(const GgufMetadata& metadata) {
  if (!metadata.has(kModelKey))
    return fail(Code::kNotFound, metadata.where(),
                fmt::format("the file has no tokenizer: key \"{}\" is absent", kModelKey));
  tokenizer::TokenizerMetadata out;
  const Status status = catch_error([&] {
    out.model = metadata.get_name(kModelKey);
    out.pre = metadata.get_name(kPreKey, "");
    out.tokens = metadata.get_texts(kGgufTokensKey, kMaxGgufTokens);
    out.kinds = metadata.get_ints(kGgufTokenTypesKey, kMaxGgufTokens);
    out.scores = metadata.get_floats("tokenizer.ggml.scores", kMaxGgufTokens);
    out.merges = metadata.get_texts("tokenizer.ggml.merges", kMaxMerges);
    out.add_bos = flag(metadata, "tokenizer.ggml.add_bos_token");
    out.add_eos = flag(metadata, "tokenizer.ggml.add_eos_token");
    out.add_space_prefix = flag(metadata, "tokenizer.ggml.add_space_prefix");
    read_named_ids(metadata, out);
    read_templates(metadata, out);
  });
  if (!status.ok()) return status;
  if (out.model == "gpt2" && out.pre.empty())
    log_warning(
        fmt::format("{}: key \"{}\" is absent; \"default\" is assumed, which may cut text "
                    "otherwise than the model learnt it",
                    metadata.where(), kPreKey));
  return tokenizer::Tokenizer::from_metadata(out, metadata.where());
}

}  // namespace legato::importer
