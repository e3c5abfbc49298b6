#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

/// Arguments in the order of the parameter names; what the caller left out is empty.
class BoundArguments {
 public:
  /// Throws, naming `callee`, for unknown names, too many values or fewer than `required`.
  BoundArguments(std::string_view callee, const Arguments& arguments,
                 std::initializer_list<const char*> names, size_t required = 0);

  bool has(size_t index) const { return values_[index].has_value(); }
  const Value& operator[](size_t index) const { return *values_[index]; }

  bool flag(size_t index, bool otherwise) const;
  int64_t integer(size_t index, int64_t otherwise) const;
  /// A string argument, or `otherwise`, which counts as template text.
  Text text(size_t index, std::string_view otherwise) const;

 private:
  std::vector<std::optional<Value>> values_;
  std::vector<const char*> names_;
};

}  // namespace legato::tokenizer::jinja
