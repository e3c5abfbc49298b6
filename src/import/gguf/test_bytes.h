#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/gguf/metadata.h"

namespace legato::importer {

/// The bytes of a number, little-endian.
template <typename T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
/// A string as GGUF stores it.
inline std::string raw_text(std::string_view text) {
  return raw<uint64_t>(text.size()).append(text);
}

/// Writes GGUF files for tests, right ones and wrong ones.
class GgufBytes {
 public:
  uint32_t version = 3;
  std::string magic = "GGUF";
  /// Other counts than what was added.
  std::optional<uint64_t> num_keys, num_tensors;
  uint64_t alignment = 32;
  uint64_t data_bytes = 0;  ///< at the end; at least what the tensors take
  char fill = '\0';         ///< each of them
  std::string data;         ///< in front of them

  GgufBytes& key(std::string_view name, GgufValueType type, const std::string& value) {
    keys_ += raw_text(name) + raw(static_cast<uint32_t>(type)) + value;
    ++key_count_;
    return *this;
  }
  GgufBytes& text(std::string_view name, std::string_view value) {
    return key(name, GgufValueType::kString, raw_text(value));
  }
  GgufBytes& u32(std::string_view name, uint32_t value) {
    return key(name, GgufValueType::kU32, raw(value));
  }
  GgufBytes& f32(std::string_view name, float value) {
    return key(name, GgufValueType::kF32, raw(value));
  }
  GgufBytes& flag(std::string_view name, bool value) {
    return key(name, GgufValueType::kBool, std::string(1, value ? '\1' : '\0'));
  }
  GgufBytes& list(std::string_view name, GgufValueType element, uint64_t count,
                  const std::string& elements) {
    return key(name, GgufValueType::kArray,
               raw(static_cast<uint32_t>(element)) + raw(count) + elements);
  }
  GgufBytes& texts(std::string_view name, const std::vector<std::string>& values) {
    std::string elements;
    for (const std::string& value : values) elements += raw_text(value);
    return list(name, GgufValueType::kString, values.size(), elements);
  }
  template <typename T>
  GgufBytes& numbers(std::string_view name, GgufValueType element, const std::vector<T>& values) {
    std::string elements;
    for (const T value : values) elements += raw(value);
    return list(name, element, values.size(), elements);
  }
  /// `dims` innermost first, as in the file.
  GgufBytes& tensor(std::string_view name, const std::vector<uint64_t>& dims, uint32_t type,
                    uint64_t offset) {
    tensors_ += raw_text(name) + raw(static_cast<uint32_t>(dims.size()));
    for (const uint64_t dim : dims) tensors_ += raw(dim);
    tensors_ += raw(type) + raw(offset);
    ++tensor_count_;
    return *this;
  }

  std::string build() const {
    std::string bytes = magic + raw(version) + raw(num_tensors.value_or(tensor_count_)) +
                        raw(num_keys.value_or(key_count_)) + keys_ + tensors_;
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, '\0');
    return bytes + data + std::string(data_bytes, fill);
  }

 private:
  std::string keys_, tensors_;
  uint64_t key_count_ = 0, tensor_count_ = 0;
};

}  // namespace legato::importer
