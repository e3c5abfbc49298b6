#include "ir/rules/attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace legato::ir {
namespace {

std::string_view type_name(AttributeType type) {
  switch (type) {
    case AttributeType::kInt:
      return "an integer";
    case AttributeType::kFloat:
      return "a number";
    case AttributeType::kString:
      return "a string";
    case AttributeType::kInts:
      return "a list of integers";
    case AttributeType::kFloats:
      return "a list of numbers";
  }
  return "";
}

AttributeType type_of(const Attribute& attribute) {
  return static_cast<AttributeType>(attribute.index());
}
static_assert(std::is_same_v<std::variant_alternative_t<4, Attribute>, std::vector<double>>);

/// The value as `type`; nullopt when it is of another.
std::optional<Attribute> converted(const Attribute& value, AttributeType type) {
  if (type_of(value) == type) return value;
  if (type == AttributeType::kFloat && type_of(value) == AttributeType::kInt)
    return static_cast<double>(std::get<int64_t>(value));
  if (type == AttributeType::kFloats && type_of(value) == AttributeType::kInts) {
    const auto& ints = std::get<std::vector<int64_t>>(value);
    return std::vector<double>(ints.begin(), ints.end());
  }
  return std::nullopt;
}

}  // namespace

AttributeSpec int_attribute(std::string name, int64_t otherwise, std::string doc) {
  return {std::move(name), AttributeType::kInt, std::move(doc), otherwise};
}

AttributeSpec float_attribute(std::string name, double otherwise, std::string doc) {
  return {std::move(name), AttributeType::kFloat, std::move(doc), otherwise};
}

AttributeSpec string_attribute(std::string name, std::string otherwise, std::string doc) {
  return {std::move(name), AttributeType::kString, std::move(doc), std::move(otherwise)};
}

AttributeSpec required(std::string name, AttributeType type, std::string doc) {
  return {std::move(name), type, std::move(doc), std::nullopt, true};
}

AttributeSpec optional(std::string name, AttributeType type, std::string doc) {
  return {std::move(name), type, std::move(doc), std::nullopt, false};
}

Attributes checked_attributes(const OpSchema& schema, const NodeView& view) {
  for (const auto& [name, value] : view.node.attributes.values()) {
    const bool known =
        std::any_of(schema.attributes.begin(), schema.attributes.end(),
                    [&key = name](const AttributeSpec& spec) { return spec.name == key; });
    if (!known) view.refuse(fmt::format("has no attribute \"{}\"", name));
  }
  Attributes checked;
  for (const AttributeSpec& spec : schema.attributes) {
    const Attribute* given = view.node.attributes.find(spec.name);
    if (given != nullptr) {
      auto value = converted(*given, spec.type);
      if (!value)
        view.refuse(fmt::format("attribute \"{}\" is {}, expected {}", spec.name,
                                type_name(type_of(*given)), type_name(spec.type)));
      checked.set(spec.name, std::move(*value));
    } else if (spec.otherwise) {
      checked.set(spec.name, *spec.otherwise);
    } else if (spec.required) {
      view.refuse(
          fmt::format("attribute \"{}\" is missing, expected {}", spec.name, type_name(spec.type)));
    }
  }
  return checked;
}

std::string one_of(const NodeView& view, std::string_view attribute,
                   std::span<const std::string_view> choices) {
  std::string value = view.node.attributes.get_string(attribute);
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    view.refuse(fmt::format("attribute \"{}\" is \"{}\", expected one of {}", attribute, value,
                            fmt::join(choices, ", ")));
  return value;
}

int64_t at_least(const NodeView& view, std::string_view attribute, int64_t least) {
  const int64_t value = view.node.attributes.get_int(attribute);
  if (value < least)
    view.refuse(
        fmt::format("attribute \"{}\" is {}, expected at least {}", attribute, value, least));
  return value;
}

}  // namespace legato::ir
