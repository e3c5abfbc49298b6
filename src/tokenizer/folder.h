#pragma once

#include <filesystem>

#include "tokenizer/definition.h"

namespace legato::tokenizer {

/// Reads the tokenizer of a Hugging Face folder with all its side files. kNotFound when there is
/// none.
Result<Definition> read_folder(const std::filesystem::path& folder);

/// The tokenizer.json that a folder with vocab.json and merges.txt stands for; `config` is its
/// tokenizer_config.json. kUnsupported when its `tokenizer_class` is not of that kind.
Result<Json> read_vocab_and_merges(const std::filesystem::path& folder, const Json& config);

/// Adds the chat templates of the folder and its config to `definition`.
Status read_chat_templates(const std::filesystem::path& folder, const Json& config,
                           Definition& definition);

}  // namespace legato::tokenizer
