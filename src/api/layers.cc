#include "api/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <type_traits>

namespace legato::api {
namespace {

constexpr size_t kShownElements = 4;

template <typename T>
std::string format_list(const std::vector<T>& values) {
  const std::span<const T> shown(values.data(), std::min(values.size(), kShownElements));
  return fmt::format("[{}{}]", fmt::join(shown, ", "),
                     values.size() > kShownElements ? fmt::format(", ... {}", values.size()) : "");
}

std::string format_attribute(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::vector<int64_t>> ||
                      std::is_same_v<T, std::vector<double>>) {
          return format_list(value);
        } else {
          return fmt::format("{}", value);
        }
      },
      attribute);
}

}  // namespace

std::string format_attributes(const Attributes& attributes) {
  std::string out;
  for (const auto& [name, value] : attributes.values()) {
    out += (out.empty() ? "" : " ") + name + "=" + format_attribute(value);
  }
  return out;
}

std::vector<EngineLayer> describe_steps(const engine::EngineSpec& spec) {
  std::vector<EngineLayer> layers;
  for (const engine::StepSpec& step : spec.steps) {
    EngineLayer layer;
    layer.name = step.name;
    layer.op = step.op;
    layer.tactic = step.tactic;
    layer.config = format_attributes(step.attributes);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace legato::api
