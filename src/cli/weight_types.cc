#include "cli/weight_types.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/counted.h"
#include "cli/units.h"

namespace legato::cli {

std::string describe_weights(const EngineInfo& info, std::string_view separator) {
  std::vector<std::string> parts;
  for (const EngineWeights& type : info.weights) {
    parts.push_back(fmt::format("{} {} ({})", type.precision, counted(type.tensors, "tensor"),
                                format_bytes(type.bytes)));
  }
  return fmt::format("{}", fmt::join(parts, separator));
}

Json weights_json(const EngineInfo& info) {
  Json list = Json::array();
  for (const EngineWeights& type : info.weights) {
    list.push_back(
        {{"precision", type.precision}, {"tensors", type.tensors}, {"bytes", type.bytes}});
  }
  return list;
}

}  // namespace legato::cli
