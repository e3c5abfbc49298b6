#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

/// What `attribute=` of a filter means: "function.name", or "parts.0.text", or an integer. Without
/// one it returns the item itself. With `ignore_case`, strings come back in lower case.
class AttributeGetter {
 public:
  AttributeGetter(Context& context, const Value* attribute, const Value* otherwise = nullptr,
                  bool ignore_case = false);
  Value get(Context& context, const Value& item) const;

 private:
  std::vector<Value> path_;
  std::optional<Value> otherwise_;
  bool ignore_case_;
};

}  // namespace legato::tokenizer::jinja
