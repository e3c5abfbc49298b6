#include "tokenizer/chat_template/arguments.h"

#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {

BoundArguments::BoundArguments(std::string_view callee, const Arguments& arguments,
                               std::initializer_list<const char*> names, size_t required)
    : values_(names.size()), names_(names) {
  if (arguments.positional.size() > names.size())
    refuse("{} got {} arguments, expected at most {}", callee, arguments.positional.size(),
           names.size());
  for (size_t i = 0; i < arguments.positional.size(); ++i) values_[i] = arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    size_t index = 0;
    while (index < names_.size() && name != names_[index]) ++index;
    if (index == names_.size()) refuse("{} has no argument '{}'", callee, quotable(name));
    if (values_[index]) refuse("{} got its argument '{}' twice", callee, quotable(name));
    values_[index] = value;
  }
  for (size_t i = 0; i < required; ++i)
    if (!values_[i]) refuse("{} needs its argument '{}'", callee, names_[i]);
}

bool BoundArguments::flag(size_t index, bool otherwise) const {
  return has(index) ? is_true(*values_[index]) : otherwise;
}

int64_t BoundArguments::integer(size_t index, int64_t otherwise) const {
  return has(index) ? require_int(*values_[index], names_[index]) : otherwise;
}

Text BoundArguments::text(size_t index, std::string_view otherwise) const {
  return has(index) ? require_text(*values_[index], names_[index]) : Text(otherwise, true);
}

}  // namespace legato::tokenizer::jinja
