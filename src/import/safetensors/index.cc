#include "import/safetensors/index.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/one_line.h"
#include "base/status.h"
#include "import/hf/json_tokens.h"

namespace legato::importer {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 16u << 20, .max_values = 400'000, .max_depth = 8};
constexpr size_t kMaxStringBytes = 1u << 20;

}  // namespace

std::map<std::string, std::string> read_weight_map(const std::filesystem::path& path,
                                                   const std::string& shown) {
  return parse_weight_map(value_or_throw(read_file(path, kLimits.max_bytes)), shown);
}

std::map<std::string, std::string> parse_weight_map(std::string_view text,
                                                    const std::string& where) {
  judge_token_lengths(text, where, kMaxStringBytes);
  const Json json = value_or_throw(parse_json(text, where, kLimits));
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (!json.is_object() || map == json.end() || !map->is_object() || map->empty())
    throw Error(Code::kMalformed, where,
                "field \"weight_map\": expected an object of tensor and file names");
  std::map<std::string, std::string> files;
  for (const auto& [tensor, file] : map->items()) {
    if (!is_one_line(tensor) || (file.is_string() && !is_one_line(file.get<std::string>())))
      throw Error(Code::kMalformed, where,
                  fmt::format("weight_map: a name at tensor \"{}\" has control characters",
                              one_line(tensor)));
    if (!file.is_string())
      throw Error(Code::kMalformed, where,
                  fmt::format("weight_map: tensor \"{}\" has no file name", tensor.substr(0, 200)));
    files.emplace(tensor, file.get<std::string>());
  }
  return files;
}

}  // namespace legato::importer
