#include "tokenizer/chat_template/ordered_json.h"

#include <fmt/format.h>

#include <unordered_set>
#include <vector>

namespace legato::tokenizer {
namespace {

/// Builds the value while it counts what it builds. Keys are appended without the linear search of
/// ordered_json.
class OrderedBuilder : public nlohmann::json_sax<OrderedJson> {
 public:
  explicit OrderedBuilder(const JsonLimits& limits) : limits_(limits) {}

  OrderedJson take() { return std::move(root_); }
  const std::string& failure() const { return failure_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary values are not JSON"); }
  bool start_object(std::size_t) override { return open(OrderedJson::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(OrderedJson::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!count()) return false;
    if (!levels_.back().keys.insert(name).second)
      return refuse(fmt::format("key \"{}\" occurs twice", name.substr(0, 80)));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string text = error.what();
    if (const size_t semicolon = text.rfind("; "); semicolon != text.npos)
      text = text.substr(semicolon + 2);
    return refuse(fmt::format("invalid JSON at byte {}: {}", position, text.substr(0, 160)));
  }

 private:
  struct Level {
    OrderedJson* container;
    std::unordered_set<std::string> keys;
  };

  bool refuse(std::string why) {
    failure_ = std::move(why);
    return false;
  }

  bool count() {
    if (++values_ <= limits_.max_values) return true;
    return refuse(fmt::format("more than {} values", limits_.max_values));
  }

  OrderedJson* place(OrderedJson value) {
    if (levels_.empty()) return &(root_ = std::move(value));
    OrderedJson& parent = *levels_.back().container;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    using Pairs = OrderedJson::object_t::Container;
    Pairs& pairs = parent.get_ref<OrderedJson::object_t&>();
    pairs.emplace_back(std::move(key_), std::move(value));
    return &pairs.back().second;
  }

  bool add(OrderedJson value) {
    if (!count()) return false;
    place(std::move(value));
    return true;
  }

  bool open(OrderedJson container) {
    if (!count()) return false;
    if (static_cast<int>(levels_.size()) >= limits_.max_depth)
      return refuse(fmt::format("nested deeper than {}", limits_.max_depth));
    OrderedJson* placed = place(std::move(container));
    levels_.push_back({placed, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  JsonLimits limits_;
  OrderedJson root_;
  std::vector<Level> levels_;
  std::string key_;
  std::string failure_;
  uint64_t values_ = 0;
};

}  // namespace

Result<OrderedJson> parse_ordered_json(std::string_view text, const std::string& where,
                                       const JsonLimits& limits) {
  if (text.size() > limits.max_bytes)
    return fail(
        Code::kMalformed, where,
        fmt::format("is {} bytes of JSON, expected at most {}", text.size(), limits.max_bytes));
  OrderedBuilder builder(limits);
  if (!OrderedJson::sax_parse(text.begin(), text.end(), &builder))
    return fail(Code::kMalformed, where, builder.failure());
  return builder.take();
}

}  // namespace legato::tokenizer
