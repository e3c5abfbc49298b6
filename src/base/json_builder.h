#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/json.h"

namespace legato {

/// Builds a value of nlohmann's sorted or ordered kind while it counts what it builds, so that a
/// hostile text stops early. One builder reads one text; see parse_bounded_json.
template <typename Value>
class BoundedJsonBuilder : public nlohmann::json_sax<Value> {
 public:
  using typename nlohmann::json_sax<Value>::number_integer_t;
  using typename nlohmann::json_sax<Value>::number_unsigned_t;
  using typename nlohmann::json_sax<Value>::number_float_t;
  using typename nlohmann::json_sax<Value>::string_t;
  using typename nlohmann::json_sax<Value>::binary_t;

  explicit BoundedJsonBuilder(const JsonLimits& limits) : limits_(limits) {}

  Value take() { return std::move(root_); }
  const std::string& failure() const { return failure_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary values are not JSON"); }

  bool start_object(std::size_t) override { return open(Value::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Value::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!count()) return false;
    if (is_taken(name))
      return refuse(fmt::format(
          "key {} occurs twice",
          Value(name.substr(0, 80)).dump(-1, ' ', true, Value::error_handler_t::replace)));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int kOutOfRange = 406;
    if (error.id == kOutOfRange)
      return refuse(fmt::format(
          "number {} at byte {} is too large",
          Value(token.substr(0, 40)).dump(-1, ' ', true, Value::error_handler_t::replace),
          position));
    // The parser's last clause says what it expected or why a string is none.
    std::string text = error.what();
    if (const size_t clause = text.rfind("; "); clause != std::string::npos)
      text = text.substr(clause + 2);
    else
      text = "unexpected text";
    return refuse(fmt::format("invalid JSON at byte {}: {}", position, text.substr(0, 160)));
  }

 private:
  static constexpr bool kOrdered = std::is_same_v<Value, nlohmann::ordered_json>;

  struct Level {
    Value* container;
    std::unordered_set<std::string> keys;  ///< of an ordered object, whose own search is linear
  };

  bool refuse(std::string why) {
    failure_ = std::move(why);
    return false;
  }

  bool count() {
    if (++values_ <= limits_.max_values) return true;
    return refuse(fmt::format("more than {} values", limits_.max_values));
  }

  bool is_taken(const std::string& name) {
    Level& level = levels_.back();
    if constexpr (kOrdered) {
      return !level.keys.insert(name).second;
    } else {
      return level.container->contains(name);
    }
  }

  Value* place(Value value) {
    if (levels_.empty()) return &(root_ = std::move(value));
    Value& parent = *levels_.back().container;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    if constexpr (kOrdered) {
      using Pairs = typename Value::object_t::Container;
      Pairs& pairs = parent.template get_ref<typename Value::object_t&>();
      pairs.emplace_back(std::move(key_), std::move(value));
      return &pairs.back().second;
    } else {
      return &(parent[key_] = std::move(value));
    }
  }

  bool add(Value value) {
    if (!count()) return false;
    place(std::move(value));
    return true;
  }

  bool open(Value container) {
    if (!count()) return false;
    if (static_cast<int>(levels_.size()) >= limits_.max_depth)
      return refuse(fmt::format("nested deeper than {}", limits_.max_depth));
    levels_.push_back({place(std::move(container)), {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  JsonLimits limits_;
  Value root_;
  std::vector<Level> levels_;
  std::string key_;
  std::string failure_;
  uint64_t values_ = 0;
};

/// What parse_json promises, for either kind of value.
template <typename Value>
Result<Value> parse_bounded_json(std::string_view text, const std::string& where,
                                 const JsonLimits& limits) {
  if (text.size() > limits.max_bytes)
    return fail(
        Code::kMalformed, where,
        fmt::format("is {} bytes of JSON, expected at most {}", text.size(), limits.max_bytes));
  // The parser would take it as the end of the text.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos)
    return fail(Code::kMalformed, where, fmt::format("invalid JSON at byte {}: a NUL byte", nul));
  BoundedJsonBuilder<Value> builder(limits);
  if (!Value::sax_parse(text.begin(), text.end(), &builder))
    return fail(Code::kMalformed, where, builder.failure());
  return builder.take();
}

}  // namespace legato
