#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace legato::importer {

struct FloatRange {
  double min, max;
};
/// What a norm may add to a mean of squares.
inline constexpr FloatRange kEpsilonRange{0, 1};

struct IntRange {
  int64_t min = 0;
  int64_t max = 0;
};

/// A JSON object of settings, read field by field with a type and a range; remembers which fields
/// were read, so that the rest can be judged. A null field counts as absent. Throws Error that
/// names file and field. One thread.
class Config {
 public:
  /// Reads config.json or a file like it; messages name it as `shown`.
  static Config read(const std::filesystem::path& path, const std::string& shown);
  static Config parse(std::string_view text, const std::string& where);
  /// Settings that another format holds, under the names that config.json gives them; messages
  /// show a field as `shown_names` says.
  static Config from_json(Json object, const std::string& where,
                          std::map<std::string, std::string, std::less<>> shown_names);

  const std::string& where() const { return where_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// Without a default the field is required.
  int64_t get_int(std::string_view name, IntRange range,
                  std::optional<int64_t> otherwise = std::nullopt) const;
  double get_float(std::string_view name, std::optional<double> otherwise = std::nullopt) const;
  double get_float_in(std::string_view name, FloatRange range, double otherwise) const;
  bool get_bool(std::string_view name, bool otherwise) const;
  std::string get_string(std::string_view name,
                         std::optional<std::string> otherwise = std::nullopt) const;
  /// Empty when absent.
  std::vector<std::string> get_strings(std::string_view name) const;
  /// One integer or a list of them; empty when absent.
  std::vector<int64_t> get_ints(std::string_view name, IntRange range) const;
  /// The object in a field; nullopt when absent. Its messages name the field too.
  std::optional<Config> get_object(std::string_view name) const;
  /// Whether a field holds an object.
  bool is_object(std::string_view name) const;

  /// Refuses the model unless the field is absent or says `supported`.
  void expect_bool(std::string_view name, bool supported, bool otherwise) const;
  /// Refuses the model when the field is present and neither null, false, zero nor
  /// empty.
  void refuse_if_set(std::string_view name) const;
  [[noreturn]] void refuse(std::string_view name, const std::string& message) const;
  [[noreturn]] void unsupported(std::string_view name, const std::string& message) const;

  void mark_read(std::string_view name) const { read_->emplace(name); }
  /// Fields that nothing has asked for, sorted.
  std::vector<std::string> unread() const;

 private:
  Config(std::shared_ptr<const Json> root, const Json* object, std::string where);
  const Json* find(std::string_view name) const;
  std::string shown_name(std::string_view name) const;

  std::shared_ptr<const Json> root_;  // keeps object_ alive
  const Json* object_;
  std::string where_;
  std::shared_ptr<std::set<std::string, std::less<>>> read_;
  std::shared_ptr<const std::map<std::string, std::string, std::less<>>> shown_names_;
};

}  // namespace legato::importer
