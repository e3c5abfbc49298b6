#include "ir/text_literal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace legato::ir {

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' ||
         c == '-';
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_name_char);
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

namespace {

template <typename Float>
std::string shortest(Float value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  const bool marked = text.find_first_of(".ein") != std::string::npos;
  return marked ? text : text + ".0";
}

}  // namespace

std::string float_text(double value) { return shortest(value); }

std::string attribute_text(const Attribute& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value)) return float_text(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value))
    return fmt::format("[{}]", fmt::join(*ints, ", "));
  std::vector<std::string> texts;
  for (const double number : std::get<std::vector<double>>(value))
    texts.push_back(float_text(number));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string elements_text(const Tensor& tensor) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < tensor.shape().elements(); ++i) {
    if (tensor.dtype() == DType::kI64) {
      texts.push_back(fmt::format("{}", tensor.data<int64_t>()[i]));
    } else if (tensor.dtype() == DType::kU64) {
      texts.push_back(fmt::format("{}", tensor.data<uint64_t>()[i]));
    } else {
      const double value = load_element(tensor.dtype(), tensor.raw().data(), i);
      if (tensor.dtype() == DType::kF64) {
        texts.push_back(shortest(value));
      } else if (is_float(tensor.dtype())) {
        texts.push_back(shortest(static_cast<float>(value)));
      } else {
        texts.push_back(fmt::format("{}", static_cast<int64_t>(value)));
      }
    }
  }
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace legato::ir
