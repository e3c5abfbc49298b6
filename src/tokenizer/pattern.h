#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "tokenizer/regex.h"

namespace legato::tokenizer {

/// The `pattern` of a Split or Replace: {"String": ...} or {"Regex": ...}.
class Pattern {
 public:
  static Result<Pattern> parse(const Json& json, const std::string& where,
                               const std::string& place);

  /// As Regex::find_all. An empty string matches between all characters.
  Status find_all(std::string_view text, std::vector<Match>& out) const;
  /// The plain string, or null for a regex.
  const std::string* plain() const { return std::get_if<std::string>(&what_); }

 private:
  explicit Pattern(std::variant<std::string, Regex> what) : what_(std::move(what)) {}
  std::variant<std::string, Regex> what_;
};

}  // namespace legato::tokenizer
