#include "import/hf/config.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/one_line.h"
#include "base/status.h"
#include "import/hf/json_tokens.h"

namespace legato::importer {
namespace {

/// Settings files are small; these bounds keep a hostile one cheap.
constexpr JsonLimits kLimits{.max_bytes = 8u << 20, .max_values = 200'000, .max_depth = 32};
constexpr size_t kMaxStringBytes = 1u << 20;
constexpr size_t kMaxList = 65'536;

/// A value as it is shown in a message: short, one line.
std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', true);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

/// Strings of settings are names; one with control characters is none.
bool is_one_line_string(const Json& value) {
  return value.is_string() && is_one_line(value.get_ref<const std::string&>());
}

std::optional<int64_t> as_int(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  return std::nullopt;
}

}  // namespace

Config::Config(std::shared_ptr<const Json> root, const Json* object, std::string where)
    : root_(std::move(root)),
      object_(object),
      where_(std::move(where)),
      read_(std::make_shared<std::set<std::string, std::less<>>>()) {}

Config Config::read(const std::filesystem::path& path, const std::string& shown) {
  return parse(value_or_throw(read_file(path, kLimits.max_bytes)), shown);
}

Config Config::parse(std::string_view text, const std::string& where) {
  judge_token_lengths(text, where, kMaxStringBytes);
  auto root = std::make_shared<const Json>(value_or_throw(parse_json(text, where, kLimits)));
  if (!root->is_object())
    throw Error(Code::kMalformed, where,
                fmt::format("expected a JSON object, found {}", shown(*root)));
  const Json* object = root.get();
  return Config(std::move(root), object, where);
}

Config Config::from_json(Json object, const std::string& where,
                         std::map<std::string, std::string, std::less<>> shown_names) {
  LEGATO_CHECK(object.is_object());
  auto root = std::make_shared<const Json>(std::move(object));
  const Json* top = root.get();
  Config config(std::move(root), top, where);
  config.shown_names_ = std::make_shared<const std::map<std::string, std::string, std::less<>>>(
      std::move(shown_names));
  return config;
}

std::string Config::shown_name(std::string_view name) const {
  const auto field = [&] { return fmt::format("field \"{}\"", name); };
  if (shown_names_ == nullptr) return field();
  const auto found = shown_names_->find(name);
  return found == shown_names_->end() ? field() : fmt::format("key \"{}\"", found->second);
}

const Json* Config::find(std::string_view name) const {
  const auto found = object_->find(name);
  if (found == object_->end()) return nullptr;
  mark_read(name);
  return found->is_null() ? nullptr : &*found;
}

void Config::refuse(std::string_view name, const std::string& message) const {
  throw Error(Code::kMalformed, where_, fmt::format("{}: {}", shown_name(name), message));
}

void Config::unsupported(std::string_view name, const std::string& message) const {
  throw Error(Code::kUnsupported, where_, fmt::format("{}: {}", shown_name(name), message));
}

int64_t Config::get_int(std::string_view name, IntRange range,
                        std::optional<int64_t> otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) {
    if (!otherwise.has_value()) refuse(name, "is required and absent");
    return *otherwise;
  }
  const std::optional<int64_t> number = as_int(*value);
  if (!number.has_value() || *number < range.min || *number > range.max)
    refuse(name, fmt::format("expected an integer from {} to {}, found {}", range.min, range.max,
                             shown(*value)));
  return *number;
}

double Config::get_float(std::string_view name, std::optional<double> otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) {
    if (!otherwise.has_value()) refuse(name, "is required and absent");
    return *otherwise;
  }
  if (!value->is_number() || !std::isfinite(value->get<double>()))
    refuse(name, fmt::format("expected a number, found {}", shown(*value)));
  return value->get<double>();
}

double Config::get_float_in(std::string_view name, FloatRange range, double otherwise) const {
  const double value = get_float(name, otherwise);
  if (value < range.min || value > range.max)
    refuse(name, fmt::format("expected {} to {}, found {}", range.min, range.max, value));
  return value;
}

bool Config::get_bool(std::string_view name, bool otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean())
    refuse(name, fmt::format("expected true or false, found {}", shown(*value)));
  return value->get<bool>();
}

std::string Config::get_string(std::string_view name, std::optional<std::string> otherwise) const {
  const Json* value = find(name);
  if (value == nullptr) {
    if (!otherwise.has_value()) refuse(name, "is required and absent");
    return *otherwise;
  }
  if (!is_one_line_string(*value))
    refuse(name, fmt::format("expected a string, found {}", shown(*value)));
  return value->get<std::string>();
}

std::vector<std::string> Config::get_strings(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_array() || value->size() > kMaxList)
    refuse(name, fmt::format("expected a list of strings, found {}", shown(*value)));
  std::vector<std::string> list;
  for (const Json& item : *value) {
    if (!is_one_line_string(item))
      refuse(name, fmt::format("expected a list of strings, found {} in it", shown(item)));
    list.push_back(item.get<std::string>());
  }
  return list;
}

std::vector<int64_t> Config::get_ints(std::string_view name, IntRange range) const {
  const Json* value = find(name);
  if (value == nullptr) return {};
  std::vector<int64_t> list;
  const auto add = [&](const Json& item) {
    const std::optional<int64_t> number = as_int(item);
    if (!number.has_value() || *number < range.min || *number > range.max)
      refuse(name, fmt::format("expected integers from {} to {}, found {}", range.min, range.max,
                               shown(item)));
    list.push_back(*number);
  };
  if (!value->is_array()) {
    add(*value);
    return list;
  }
  if (value->size() > kMaxList)
    refuse(name, fmt::format("has {} entries, at most {} are read", value->size(), kMaxList));
  for (const Json& item : *value) add(item);
  return list;
}

std::optional<Config> Config::get_object(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) refuse(name, fmt::format("expected an object, found {}", shown(*value)));
  Config nested(root_, value,
                shown_names_ == nullptr ? fmt::format("{}: {}", where_, name) : where_);
  nested.shown_names_ = shown_names_;
  return nested;
}

bool Config::is_object(std::string_view name) const {
  const auto found = object_->find(name);
  return found != object_->end() && found->is_object();
}

void Config::expect_bool(std::string_view name, bool supported, bool otherwise) const {
  if (get_bool(name, otherwise) != supported)
    unsupported(name, fmt::format("only {} is supported", supported));
}

void Config::refuse_if_set(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr || (value->is_boolean() && !value->get<bool>())) return;
  if ((value->is_structured() || value->is_string()) && (value->empty() || *value == "")) return;
  if (value->is_number() && value->get<double>() == 0) return;
  unsupported(name, fmt::format("is not supported, found {}", shown(*value)));
}

std::vector<std::string> Config::unread() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : object_->items())
    if (read_->count(name) == 0) names.push_back(one_line(name));
  return names;
}

}  // namespace legato::importer
