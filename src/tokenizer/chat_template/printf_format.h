#pragma once

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

/// Python's `format % values`, where values is one value, a tuple, or a dict for %(name)s.
Text printf_format(Context& context, const Text& format, const Value& values);

/// Python's str.format without attribute walking. `{}`, `{0}`, `{name}`, `!r`, `!s` and plain
/// format specifications.
Text brace_format(Context& context, const Text& format, const Arguments& arguments);

/// A number in style `type` (d f x X o b e g %), with `precision` digits where it is not negative.
std::string format_number(const Value& value, char type, int64_t precision);

}  // namespace legato::tokenizer::jinja
