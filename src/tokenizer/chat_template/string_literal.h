#pragma once

#include <string>
#include <string_view>

namespace legato::tokenizer::jinja {

/// Resolves the escapes of a string literal as Python does; an unknown escape keeps its backslash.
std::string unescape_string(std::string_view body);

}  // namespace legato::tokenizer::jinja
