#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tokenizer/definition.h"

namespace legato::tokenizer {

/// Reads the tokenizer of a Hugging Face folder with all its side files. kNotFound when there is
/// none.
Result<Definition> read_folder(const std::filesystem::path& folder);

/// Reads a file that the folder has, under the rule of base/model_path.h. A link to nothing is no
/// absent tokenizer, so not kNotFound.
Result<std::string> read_folder_file(const std::filesystem::path& folder, std::string_view name,
                                     uint64_t max_bytes);
Result<Json> read_folder_json(const std::filesystem::path& folder, std::string_view name);

/// The tokenizer.json that a folder with vocab.json and merges.txt stands for; `config` is its
/// tokenizer_config.json. kUnsupported when its `tokenizer_class` is not of that kind.
Result<Json> read_vocab_and_merges(const std::filesystem::path& folder, const Json& config);

/// Adds the chat templates of the folder and its config to `definition`.
Status read_chat_templates(const std::filesystem::path& folder, const Json& config,
                           Definition& definition);

}  // namespace legato::tokenizer
