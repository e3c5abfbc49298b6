#pragma once

#include <string>
#include <string_view>

#include "tensor/attributes.h"
#include "tensor/tensor.h"

namespace legato::ir {

/// Spelling of the text form: what the printer writes and the lexer reads back.

/// Whether a value's name may stand without quotes after %.
bool is_plain_name(std::string_view name);
bool is_name_char(char c);
/// In double quotes, with backslash escapes for quotes, backslashes and control characters.
std::string quoted(std::string_view text);
/// The shortest spelling that reads back as the same number; always with a point, exponent, nan or
/// inf.
std::string float_text(double value);
std::string attribute_text(const Attribute& value);
/// `[1, 2, 3]`: all elements in row-major order.
std::string elements_text(const Tensor& tensor);
/// Constants up to this many elements carry them in the text.
inline constexpr int64_t kMaxPrintedElements = 64;

}  // namespace legato::ir
