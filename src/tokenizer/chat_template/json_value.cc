#include "tokenizer/chat_template/json_value.h"

#include <limits>

#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"

namespace legato::tokenizer::jinja {
namespace {

class Converter {
 public:
  Converter(Context& context, const char* name) : context_(context), name_(name) {}

  Value convert(const OrderedJson& json, int depth) {
    switch (json.type()) {
      case OrderedJson::value_t::null:
        return Value::none();
      case OrderedJson::value_t::boolean:
        return Value::boolean(json.get<bool>(), true);
      case OrderedJson::value_t::number_integer:
        return Value::integer(json.get<int64_t>(), true);
      case OrderedJson::value_t::number_unsigned: {
        const auto value = json.get<uint64_t>();
        if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
          return Value::big_integer(value);
        return Value::integer(static_cast<int64_t>(value), true);
      }
      case OrderedJson::value_t::number_float:
        return Value::real(json.get<double>(), true);
      case OrderedJson::value_t::string:
        return text(json.get_ref<const std::string&>());
      case OrderedJson::value_t::array:
      case OrderedJson::value_t::object:
        return container(json, depth);
      default:
        refuse("{} holds a value that is not JSON", name_);
    }
  }

 private:
  Value text(const std::string& bytes) {
    const size_t invalid = find_invalid_utf8(bytes);
    if (invalid != std::string_view::npos)
      refuse("{} holds a string that is not UTF-8 at its byte {}", name_, invalid);
    return context_.make_string(bytes, false);
  }

  Value container(const OrderedJson& json, int depth) {
    const int limit = context_.budget.limits().max_value_depth;
    if (depth >= limit) refuse_cost("{} nests values deeper than {}", name_, limit);
    if (json.is_array()) {
      Items items;
      for (const auto& item : json) items.push_back(convert(item, depth + 1));
      return context_.make_list(std::move(items), ListFlavour::kList, true);
    }
    std::vector<Entry> entries;
    for (const auto& [key, value] : json.items()) {
      Value name = text(key);
      entries.emplace_back(std::move(name), convert(value, depth + 1));
    }
    return context_.make_dict(std::move(entries), true);
  }

  Context& context_;
  const char* name_;
};

}  // namespace

Value from_json(Context& context, const OrderedJson& json, const char* name) {
  return Converter(context, name).convert(json, 0);
}

}  // namespace legato::tokenizer::jinja
