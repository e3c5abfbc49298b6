#include "tokenizer/chat_template/attribute_getter.h"

#include <charconv>

#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/text_ops.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {

AttributeGetter::AttributeGetter(Context& context, const Value* attribute, const Value* otherwise,
                                 bool ignore_case)
    : ignore_case_(ignore_case) {
  if (otherwise != nullptr) otherwise_ = *otherwise;
  if (attribute == nullptr || attribute->is(Kind::kNone)) return;
  if (attribute->is_integer()) {
    path_.push_back(*attribute);
    return;
  }
  for (Text& part : split(context, require_text(*attribute, "attribute"), Text(".", true), -1)) {
    int64_t index = 0;
    const std::string& bytes = part.bytes();
    const bool is_index =
        bytes.find_first_not_of("0123456789") == bytes.npos && !bytes.empty() &&
        std::from_chars(bytes.data(), bytes.data() + bytes.size(), index).ec == std::errc();
    path_.push_back(is_index ? Value::integer(index) : context.make_string(std::move(part)));
  }
}

Value AttributeGetter::get(Context& context, const Value& item) const {
  context.budget.work();
  Value value = item;
  for (const Value& key : path_) {
    context.budget.work();
    value = get_item(context, value, key);
    if (value.is_undefined() && otherwise_) value = *otherwise_;
  }
  if (!ignore_case_ || !value.is_string()) return value;
  context.budget.work(value.text().size());
  return context.make_string(to_lower(value.text()));
}

}  // namespace legato::tokenizer::jinja
