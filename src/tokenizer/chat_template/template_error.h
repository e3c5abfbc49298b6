#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/status.h"

namespace legato::tokenizer::jinja {

/// Ends the parsing or rendering of a template. Private to this folder: ChatTemplate turns it into
/// a Status, so that filters and operators can be written as plain expressions.
struct TemplateError {
  Code code = Code::kInvalidArgument;
  std::string message;
  /// True for raise_exception: the template's own words, reported without a line number.
  bool verbatim = false;
};

/// The template asked for something that its values do not allow.
template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw TemplateError{Code::kInvalidArgument, fmt::format(format, std::forward<Args>(args)...)};
}

/// The template does not follow the grammar.
template <typename... Args>
[[noreturn]] void refuse_malformed(fmt::format_string<Args...> format, Args&&... args) {
  throw TemplateError{Code::kMalformed, fmt::format(format, std::forward<Args>(args)...)};
}

/// Correct Jinja that Legato does not implement, or will not for safety.
template <typename... Args>
[[noreturn]] void refuse_unsupported(fmt::format_string<Args...> format, Args&&... args) {
  throw TemplateError{Code::kUnsupported, fmt::format(format, std::forward<Args>(args)...)};
}

/// The template or its values cost more than a prompt may.
template <typename... Args>
[[noreturn]] void refuse_cost(fmt::format_string<Args...> format, Args&&... args) {
  throw TemplateError{Code::kResourceExhausted, fmt::format(format, std::forward<Args>(args)...)};
}

/// one_line(), at the length that suits a word of a template.
std::string quotable(std::string_view text, size_t max_bytes = 80);

}  // namespace legato::tokenizer::jinja
