#include "import/gguf/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/one_line.h"
#include "base/status.h"
#include "base/utf8.h"
#include "import/gguf/byte_cursor.h"

namespace legato::importer {
namespace {

struct TypeInfo {
  std::string_view name;
  size_t bytes;
};
constexpr std::array<TypeInfo, kNumGgufValueTypes> kTypes = {{{"u8", 1},
                                                              {"i8", 1},
                                                              {"u16", 2},
                                                              {"i16", 2},
                                                              {"u32", 4},
                                                              {"i32", 4},
                                                              {"f32", 4},
                                                              {"bool", 1},
                                                              {"string", 0},
                                                              {"array", 0},
                                                              {"u64", 8},
                                                              {"i64", 8},
                                                              {"f64", 8}}};

template <typename T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Null when the type is no integer or the number is beyond 63 bits.
std::optional<int64_t> integer_at(GgufValueType type, const std::byte* at) {
  switch (type) {
    case GgufValueType::kU8:
      return read<uint8_t>(at);
    case GgufValueType::kI8:
      return read<int8_t>(at);
    case GgufValueType::kU16:
      return read<uint16_t>(at);
    case GgufValueType::kI16:
      return read<int16_t>(at);
    case GgufValueType::kU32:
      return read<uint32_t>(at);
    case GgufValueType::kI32:
      return read<int32_t>(at);
    case GgufValueType::kI64:
      return read<int64_t>(at);
    case GgufValueType::kU64: {
      const auto value = read<uint64_t>(at);
      if (value > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
      return static_cast<int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::string_view text_of(const GgufValue& value) {
  return {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()};
}

std::string shown(const GgufValue& value) {
  if (value.type == GgufValueType::kString)
    return fmt::format("\"{}\"", one_line(text_of(value), 60));
  if (value.type == GgufValueType::kArray)
    return fmt::format("a list of {} {}", value.count, gguf_value_type_name(value.element));
  if (value.type == GgufValueType::kBool)
    return read<uint8_t>(value.bytes.data()) != 0 ? "true" : "false";
  if (value.type == GgufValueType::kF32) return fmt::format("{}", read<float>(value.bytes.data()));
  if (value.type == GgufValueType::kF64) return fmt::format("{}", read<double>(value.bytes.data()));
  const std::optional<int64_t> number = integer_at(value.type, value.bytes.data());
  return number ? fmt::format("{}", *number)
                : fmt::format("{}", read<uint64_t>(value.bytes.data()));
}

}  // namespace

size_t gguf_value_bytes(GgufValueType type) { return kTypes[static_cast<size_t>(type)].bytes; }
std::string_view gguf_value_type_name(GgufValueType type) {
  return kTypes[static_cast<size_t>(type)].name;
}

void GgufMetadata::add(std::string_view key, const GgufValue& value) {
  if (!values_.emplace(key, value).second) refuse(key, "is there twice");
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

const GgufValue& GgufMetadata::require(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) refuse(key, "is required and absent");
  return *value;
}

void GgufMetadata::refuse(std::string_view key, const std::string& message) const {
  throw Error(Code::kMalformed, where_, fmt::format("key \"{}\": {}", one_line(key), message));
}

void GgufMetadata::unsupported(std::string_view key, const std::string& message) const {
  throw Error(Code::kUnsupported, where_, fmt::format("key \"{}\": {}", one_line(key), message));
}

void GgufMetadata::wrong(std::string_view key, const GgufValue& value,
                         std::string_view expected) const {
  refuse(key, fmt::format("expected {}, found {} ({})", expected, shown(value),
                          gguf_value_type_name(value.type)));
}

int64_t GgufMetadata::get_int(std::string_view key, IntRange range,
                              std::optional<int64_t> otherwise) const {
  if (!has(key) && otherwise.has_value()) return *otherwise;
  const GgufValue& value = require(key);
  const std::optional<int64_t> number = integer_at(value.type, value.bytes.data());
  if (!number.has_value() || *number < range.min || *number > range.max)
    wrong(key, value, fmt::format("an integer from {} to {}", range.min, range.max));
  return *number;
}

int64_t GgufMetadata::get_uniform_int(std::string_view key, IntRange range,
                                      std::optional<int64_t> otherwise) const {
  const GgufValue* value = find(key);
  if (value == nullptr || value->type != GgufValueType::kArray)
    return get_int(key, range, otherwise);
  const size_t step = gguf_value_bytes(value->element);
  std::optional<int64_t> common;
  for (uint64_t i = 0; i < value->count; ++i) {
    const auto number = integer_at(value->element, value->bytes.data() + i * step);
    if (!number.has_value() || *number < range.min || *number > range.max)
      wrong(key, *value, fmt::format("integers from {} to {}", range.min, range.max));
    if (common.has_value() && *common != *number)
      unsupported(key, fmt::format("differs between layers ({} and {}), which is not supported",
                                   *common, *number));
    common = number;
  }
  if (!common.has_value()) wrong(key, *value, "at least one integer");
  return *common;
}

double GgufMetadata::get_float(std::string_view key, std::optional<double> otherwise) const {
  if (!has(key) && otherwise.has_value()) return *otherwise;
  const GgufValue& value = require(key);
  double number = NAN;
  if (value.type == GgufValueType::kF32) number = read<float>(value.bytes.data());
  if (value.type == GgufValueType::kF64) number = read<double>(value.bytes.data());
  if (!std::isfinite(number)) wrong(key, value, "a finite f32 or f64");
  return number;
}

bool GgufMetadata::get_bool(std::string_view key, bool otherwise) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return otherwise;
  if (value->type != GgufValueType::kBool) wrong(key, *value, "true or false");
  return read<uint8_t>(value->bytes.data()) != 0;
}

std::string_view GgufMetadata::get_text(std::string_view key,
                                        std::optional<std::string_view> otherwise) const {
  if (!has(key) && otherwise.has_value()) return *otherwise;
  const GgufValue& value = require(key);
  if (value.type != GgufValueType::kString || !is_utf8(text_of(value)))
    wrong(key, value, "a string of UTF-8");
  return text_of(value);
}

std::string GgufMetadata::get_name(std::string_view key,
                                   std::optional<std::string_view> otherwise) const {
  const std::string_view text = get_text(key, otherwise);
  if (!is_one_line(text) || text.size() > 256) wrong(key, require(key), "a short name");
  return std::string(text);
}

const GgufValue* GgufMetadata::find_list(std::string_view key, uint64_t max_count) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return nullptr;
  if (value->type != GgufValueType::kArray) wrong(key, *value, "a list");
  if (value->count > max_count)
    refuse(key, fmt::format("has {} elements, at most {} are read", value->count, max_count));
  return value;
}

std::vector<std::string_view> GgufMetadata::get_texts(std::string_view key,
                                                      uint64_t max_count) const {
  const GgufValue* list = find_list(key, max_count);
  if (list == nullptr) return {};
  if (list->element != GgufValueType::kString) wrong(key, *list, "a list of strings");
  std::vector<std::string_view> texts;
  texts.reserve(list->count);
  ByteCursor cursor(list->bytes, where_);
  for (uint64_t i = 0; i < list->count; ++i) {
    texts.push_back(cursor.take_string(key));
    if (!is_utf8(texts.back()))
      refuse(key,
             fmt::format("element {} is \"{}\", expected UTF-8", i, one_line(texts.back(), 60)));
  }
  return texts;
}

std::vector<float> GgufMetadata::get_floats(std::string_view key, uint64_t max_count) const {
  const GgufValue* list = find_list(key, max_count);
  if (list == nullptr) return {};
  if (list->element != GgufValueType::kF32) wrong(key, *list, "a list of f32");
  std::vector<float> numbers(list->count);
  if (!numbers.empty()) std::memcpy(numbers.data(), list->bytes.data(), list->bytes.size());
  return numbers;
}

std::vector<int32_t> GgufMetadata::get_ints(std::string_view key, uint64_t max_count) const {
  const GgufValue* list = find_list(key, max_count);
  if (list == nullptr) return {};
  const size_t step = gguf_value_bytes(list->element);
  std::vector<int32_t> numbers;
  numbers.reserve(list->count);
  for (uint64_t i = 0; i < list->count; ++i) {
    const auto number = integer_at(list->element, list->bytes.data() + i * step);
    if (!number.has_value() || *number < INT32_MIN || *number > INT32_MAX)
      wrong(key, *list, "a list of integers of 32 bits");
    numbers.push_back(static_cast<int32_t>(*number));
  }
  return numbers;
}

}  // namespace legato::importer
