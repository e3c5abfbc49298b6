#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace legato::tokenizer {

/// Reads typed fields of one JSON object. The first wrong field is kept as the failure and later
/// reads give their defaults, so that a parser checks once, at its end.
class Fields {
 public:
  /// `place` names the object in messages, for example "decoder". Both must outlive this.
  Fields(const Json& object, const std::string& where, std::string place);

  bool has(const char* key) const;
  /// Null counts as absent.
  std::string text(const char* key, std::string_view absent);
  std::string required_text(const char* key);
  bool flag(const char* key, bool absent);
  int64_t integer(const char* key, int64_t absent, int64_t low, int64_t high);
  /// The single character of a text field.
  char32_t character(const char* key);
  /// A null Json when absent.
  const Json& child(const char* key) const;

  void fail_with(Status failure);
  /// Records that `key` is not what was expected.
  void wrong(const char* key, std::string_view expected);

  const Status& status() const { return status_; }
  const std::string& where() const { return where_; }
  std::string name(const char* key) const { return place_.empty() ? key : place_ + "." + key; }

 private:
  const Json& object_;
  const std::string& where_;
  std::string place_;
  Status status_;
};

/// The JSON kind as a word, for messages.
std::string describe(const Json& value);

/// The `type` of a component; kMalformed when there is none.
Result<std::string> component_type(const Json& json, const std::string& where,
                                   const std::string& place);

}  // namespace legato::tokenizer
