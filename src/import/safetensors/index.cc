#include "import/safetensors/index.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/status.h"

namespace legato::importer {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 16u << 20, .max_values = 400'000, .max_depth = 8};

}  // namespace

std::map<std::string, std::string> read_weight_map(const std::filesystem::path& path,
                                                   const std::string& shown) {
  const std::string text = value_or_throw(read_file(path, kLimits.max_bytes));
  const Json json = value_or_throw(parse_json(text, shown, kLimits));
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (!json.is_object() || map == json.end() || !map->is_object() || map->empty())
    throw Error(Code::kMalformed, shown,
                "field \"weight_map\": expected an object of tensor and file names");
  std::map<std::string, std::string> files;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string())
      throw Error(Code::kMalformed, shown,
                  fmt::format("weight_map: tensor \"{}\" has no file name", tensor.substr(0, 200)));
    files.emplace(tensor, file.get<std::string>());
  }
  return files;
}

}  // namespace legato::importer
