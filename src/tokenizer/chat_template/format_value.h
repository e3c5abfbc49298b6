#pragma once

#include <string>

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

/// As Python's repr of a float: the shortest digits that read back equal.
std::string format_float(double value);

/// Appends str(value): what {{ value }} prints. Undefined prints nothing.
void append_str(Context& context, const Value& value, Text& out);
/// Appends repr(value).
void append_repr(Context& context, const Value& value, Text& out);

/// str(value) as a string value; strings come back as they are.
Value to_string_value(Context& context, const Value& value);

}  // namespace legato::tokenizer::jinja
