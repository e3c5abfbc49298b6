#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace legato::importer {

/// tensor name -> file name, from model.safetensors.index.json. File names are judged: each is a
/// plain path within the folder. Throws Error.
std::map<std::string, std::string> read_weight_map(const std::filesystem::path& path,
                                                   const std::string& shown);

}  // namespace legato::importer
