#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/gguf/metadata.h"

namespace legato::importer {

/// Ids of tokens with a part of their own. They may lie outside the vocabulary.
struct GgufSpecialIds {
  std::vector<int64_t> ends;  ///< end of a text, a turn or a message
  std::optional<int64_t> begin;
  std::optional<int64_t> padding;
};

/// "tokenizer.ggml.eos_token_id" for "eos".
std::string gguf_token_id_key(std::string_view name);
/// The id under that key; none when it is absent or beyond what an id can be. Throws Error when it
/// is no integer.
std::optional<int64_t> find_gguf_token_id(const GgufMetadata& metadata, std::string_view name);

/// Of the keys tokenizer.ggml.*_token_id; control tokens that end a turn in the usual chat formats
/// ("<|im_end|>" ...) count as ends too, since most files name just one.
GgufSpecialIds read_gguf_special_ids(const GgufMetadata& metadata);

}  // namespace legato::importer
