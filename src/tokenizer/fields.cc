#include "tokenizer/fields.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace legato::tokenizer {

Fields::Fields(const Json& object, const std::string& where, std::string place)
    : object_(object), where_(where), place_(std::move(place)) {
  if (!object_.is_object())
    status_ = fail(Code::kMalformed, where_,
                   fmt::format("{} is {}, expected an object",
                               place_.empty() ? "the document" : place_, describe(object_)));
}

bool Fields::has(const char* key) const { return !child(key).is_null(); }

const Json& Fields::child(const char* key) const {
  static const Json absent;
  if (!object_.is_object()) return absent;
  const auto found = object_.find(key);
  return found == object_.end() ? absent : *found;
}

std::string Fields::text(const char* key, std::string_view absent) {
  const Json& value = child(key);
  if (value.is_null()) return std::string(absent);
  if (value.is_string()) return value.get<std::string>();
  wrong(key, "a text");
  return std::string(absent);
}

std::string Fields::required_text(const char* key) {
  if (!has(key)) wrong(key, "a text");
  return text(key, "");
}

bool Fields::flag(const char* key, bool absent) {
  const Json& value = child(key);
  if (value.is_null()) return absent;
  if (value.is_boolean()) return value.get<bool>();
  wrong(key, "true or false");
  return absent;
}

int64_t Fields::integer(const char* key, int64_t absent, int64_t low, int64_t high) {
  const Json& value = child(key);
  if (value.is_null()) return absent;
  if (value.is_number_integer()) {
    const bool too_large = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
    const int64_t number = too_large ? INT64_MAX : value.get<int64_t>();
    if (number >= low && number <= high) return number;
  }
  wrong(key, fmt::format("an integer in [{}, {}]", low, high));
  return absent;
}

char32_t Fields::character(const char* key) {
  const std::string value = required_text(key);
  size_t position = 0;
  const char32_t c = value.empty() ? 0 : next_code_point(value, position);
  if (value.empty() || position != value.size()) wrong(key, "one character");
  return c;
}

void Fields::fail_with(Status failure) {
  if (status_.ok()) status_ = std::move(failure);
}

void Fields::wrong(const char* key, std::string_view expected) {
  if (!status_.ok()) return;
  const Json& value = child(key);
  status_ = fail(Code::kMalformed, where_,
                 value.is_null()
                     ? fmt::format("{} is missing, expected {}", name(key), expected)
                     : fmt::format("{} is {}, expected {}", name(key), describe(value), expected));
}

std::string describe(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  return text;
}

Result<std::string> component_type(const Json& json, const std::string& where,
                                   const std::string& place) {
  Fields fields(json, where, place);
  std::string type = fields.required_text("type");
  if (!fields.status().ok()) return fields.status();
  return type;
}

}  // namespace legato::tokenizer
