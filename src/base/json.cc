#include "base/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/file.h"

namespace legato {
namespace {

/// Builds a Json value while it counts what it builds, so that a hostile text stops early.
class BoundedBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit BoundedBuilder(const JsonLimits& limits) : limits_(limits) {}

  Json take() { return std::move(root_); }
  const std::string& failure() const { return failure_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary values are not JSON"); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!count()) return false;
    if (stack_.back()->contains(name))
      return refuse(fmt::format(
          "key {} occurs twice",
          Json(name.substr(0, 80)).dump(-1, ' ', true, Json::error_handler_t::replace)));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string text = error.what();
    if (const size_t colon = text.rfind("; "); colon != std::string::npos)
      text = text.substr(colon + 2);
    return refuse(fmt::format("invalid JSON at byte {}: {}", position, text.substr(0, 160)));
  }

 private:
  bool refuse(std::string why) {
    failure_ = std::move(why);
    return false;
  }

  bool count() {
    if (++values_ <= limits_.max_values) return true;
    return refuse(fmt::format("more than {} values", limits_.max_values));
  }

  Json* place(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *stack_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  bool add(Json value) {
    if (!count()) return false;
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (!count()) return false;
    if (static_cast<int>(stack_.size()) >= limits_.max_depth)
      return refuse(fmt::format("nested deeper than {}", limits_.max_depth));
    stack_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    stack_.pop_back();
    return true;
  }

  JsonLimits limits_;
  Json root_;
  std::vector<Json*> stack_;
  std::string key_;
  std::string failure_;
  uint64_t values_ = 0;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes)
    return fail(
        Code::kMalformed, where,
        fmt::format("is {} bytes of JSON, expected at most {}", text.size(), limits.max_bytes));
  BoundedBuilder builder(limits);
  if (!Json::sax_parse(text.begin(), text.end(), &builder))
    return fail(Code::kMalformed, where, builder.failure());
  return builder.take();
}

Result<Json> read_json_file(const std::string& path, const JsonLimits& limits) {
  LEGATO_ASSIGN_OR_RETURN(const std::string text, read_file(path, limits.max_bytes));
  return parse_json(text, path, limits);
}

}  // namespace legato
