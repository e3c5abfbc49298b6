#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "import/gguf/metadata.h"
#include "tokenizer/tokenizer.h"

namespace legato::importer {

inline constexpr std::string_view kGgufTokensKey = "tokenizer.ggml.tokens";
inline constexpr std::string_view kGgufTokenTypesKey = "tokenizer.ggml.token_type";
/// Above every published vocabulary.
inline constexpr uint64_t kMaxGgufTokens = 1u << 20;

/// The tokenizer that the metadata describes. kNotFound when the file has none.
Result<tokenizer::Tokenizer> read_gguf_tokenizer(const GgufMetadata& metadata);

}  // namespace legato::importer
