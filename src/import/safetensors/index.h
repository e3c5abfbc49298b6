#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace legato::importer {

/// tensor name -> file name, from the text of a model.safetensors.index.json. The file names are
/// untrusted: resolve_in_model_folder() judges them. Throws Error naming `where`.
std::map<std::string, std::string> parse_weight_map(std::string_view text,
                                                    const std::string& where);

std::map<std::string, std::string> read_weight_map(const std::filesystem::path& path,
                                                   const std::string& shown);

}  // namespace legato::importer
