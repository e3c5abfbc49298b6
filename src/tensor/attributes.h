#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace legato {

/// Value of an op's attribute.
using Attribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

/// Named attributes of a node or step, sorted by name. One type serves the graph, the tactics and
/// the engine file.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, Attribute>> list) : values_(list) {}

  void set(std::string name, Attribute value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }
  void erase(std::string_view name);
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  const Attribute* find(std::string_view name) const;

  /// The value when present and of that type (an int reads as a double too), else the default.
  /// Whether an attribute may be missing or has the right type is judged once, by the op's schema
  /// or the engine reader.
  int64_t get_int(std::string_view name, int64_t otherwise = 0) const;
  double get_float(std::string_view name, double otherwise = 0.0) const;
  std::string get_string(std::string_view name, std::string_view otherwise = "") const;
  std::vector<int64_t> get_ints(std::string_view name) const;
  std::vector<double> get_floats(std::string_view name) const;

  const std::map<std::string, Attribute, std::less<>>& values() const { return values_; }
  bool operator==(const Attributes& other) const = default;

 private:
  std::map<std::string, Attribute, std::less<>> values_;
};

}  // namespace legato
