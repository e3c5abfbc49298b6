#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/hf/config.h"

namespace legato::importer {

/// Value types of GGUF by their numbers.
enum class GgufValueType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};
inline constexpr uint32_t kNumGgufValueTypes = 13;

/// One value where it lies in the file. The reader has judged that the bytes hold it whole.
struct GgufValue {
  GgufValueType type = GgufValueType::kU8;  ///< kArray: see `element`
  GgufValueType element = GgufValueType::kU8;
  uint64_t count = 0;                ///< elements of an array
  std::span<const std::byte> bytes;  ///< scalar, text without its length, or all elements
};

/// The key-value pairs of a GGUF file, read by key with a type and a range. Values lie in the file,
/// which must outlive this. Throws Error that names file and key. One thread.
class GgufMetadata {
 public:
  GgufMetadata() = default;
  explicit GgufMetadata(std::string where) : where_(std::move(where)) {}

  const std::string& where() const { return where_; }
  /// Refuses a key that is there already.
  void add(std::string_view key, const GgufValue& value);
  bool has(std::string_view key) const { return values_.count(key) != 0; }
  const GgufValue* find(std::string_view key) const;
  const std::map<std::string_view, GgufValue>& values() const { return values_; }

  /// Without a default the key is required. Any integer type will do.
  int64_t get_int(std::string_view key, IntRange range,
                  std::optional<int64_t> otherwise = std::nullopt) const;
  /// As get_int; a list whose elements are all equal counts as one of them.
  int64_t get_uniform_int(std::string_view key, IntRange range,
                          std::optional<int64_t> otherwise = std::nullopt) const;
  double get_float(std::string_view key, std::optional<double> otherwise = std::nullopt) const;
  bool get_bool(std::string_view key, bool otherwise) const;
  /// UTF-8.
  std::string_view get_text(std::string_view key,
                            std::optional<std::string_view> otherwise = std::nullopt) const;
  /// UTF-8, without control characters: a name.
  std::string get_name(std::string_view key,
                       std::optional<std::string_view> otherwise = std::nullopt) const;
  /// Lists of at most `max_count` elements; empty when absent.
  std::vector<std::string_view> get_texts(std::string_view key, uint64_t max_count) const;
  std::vector<float> get_floats(std::string_view key, uint64_t max_count) const;
  std::vector<int32_t> get_ints(std::string_view key, uint64_t max_count) const;

  [[noreturn]] void refuse(std::string_view key, const std::string& message) const;
  [[noreturn]] void unsupported(std::string_view key, const std::string& message) const;

 private:
  const GgufValue& require(std::string_view key) const;
  [[noreturn]] void wrong(std::string_view key, const GgufValue& value,
                          std::string_view expected) const;
  const GgufValue* find_list(std::string_view key, uint64_t max_count) const;

  std::string where_;
  std::map<std::string_view, GgufValue> values_;
};

/// Bytes of one number; 0 for strings and arrays.
size_t gguf_value_bytes(GgufValueType type);
/// "u32", "string" ...
std::string_view gguf_value_type_name(GgufValueType type);

}  // namespace legato::importer
