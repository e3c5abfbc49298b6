#include <charconv>
#include <cmath>

#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/attribute_getter.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/text_ops.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

/// The text of a number literal as Python reads it: stripped, single underscores between digits
/// removed.
std::optional<std::string> number_text(Context& context, const Text& text) {
  std::string digits = strip(context, text, std::nullopt, Side::kBoth).bytes();
  if (digits.starts_with('_') || digits.ends_with('_') || digits.find("__") != digits.npos)
    return std::nullopt;
  std::erase(digits, '_');
  if (digits.starts_with('+')) {
    digits.erase(0, 1);
    if (digits.starts_with('-') || digits.starts_with('+')) return std::nullopt;
  }
  return digits;
}

std::optional<double> parse_real(Context& context, const Text& text) {
  const auto digits = number_text(context, text);
  if (!digits || digits->empty()) return std::nullopt;
  double value = 0;
  const char* end = digits->data() + digits->size();
  const auto read = std::from_chars(digits->data(), end, value);
  if (read.ec == std::errc::result_out_of_range && read.ptr == end)
    refuse_unsupported("number {} is outside of the range of a double", quotable(*digits));
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

std::optional<int64_t> parse_integer(Context& context, const Text& text, int base) {
  const auto digits = number_text(context, text);
  if (!digits || digits->empty()) return std::nullopt;
  std::string_view view = *digits;
  const bool is_negative = view.starts_with('-');
  if (is_negative) view.remove_prefix(1);
  const char letter = base == 16 ? 'x' : base == 8 ? 'o' : base == 2 ? 'b' : '\0';
  if (letter != '\0' && view.size() > 2 && view[0] == '0' && (view[1] | 32) == letter)
    view.remove_prefix(2);
  if (view.starts_with('-')) return std::nullopt;
  const std::string plain = (is_negative ? "-" : "") + std::string(view);
  int64_t value = 0;
  const char* end = plain.data() + plain.size();
  const auto read = std::from_chars(plain.data(), end, value, base);
  if (read.ec == std::errc::result_out_of_range && read.ptr == end)
    refuse_unsupported("number {} is outside of 64-bit integers", quotable(plain));
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

std::optional<int64_t> real_to_integer(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (std::abs(value) >= 9.2e18)
    refuse_unsupported("number {} is outside of 64-bit integers", value);
  return static_cast<int64_t>(value);
}

Value int_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'int'", arguments, {"default", "base"});
  if (input.is_undefined()) refuse("{} is undefined", input.hint());
  if (input.is(Kind::kBigInt)) return input;
  if (input.is_integer()) return Value::integer(input.as_int(), input.from_user());
  std::optional<int64_t> result;
  bool from_user = input.from_user();
  if (input.is(Kind::kFloat)) result = real_to_integer(input.as_real());
  if (input.is_string()) {
    from_user = !input.text().is_all_template();
    const int64_t base = bound.integer(1, 10);
    if (base < 2 || base > 36) refuse("filter 'int' got base {}, expected 2 to 36", base);
    result = parse_integer(context, input.text(), static_cast<int>(base));
    if (!result)
      if (const auto real = parse_real(context, input.text())) result = real_to_integer(*real);
  }
  if (result) return Value::integer(*result, from_user);
  return bound.has(0) ? bound[0] : Value::integer(0);
}

Value float_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'float'", arguments, {"default"});
  if (input.is_undefined()) refuse("{} is undefined", input.hint());
  if (input.is_number()) return Value::real(input.as_real(), input.from_user());
  if (input.is_string())
    if (const auto real = parse_real(context, input.text()))
      return Value::real(*real, !input.text().is_all_template());
  return bound.has(0) ? bound[0] : Value::real(0);
}

/// As Python's round: half to even on the exact binary value.
double round_half_even(double value, int digits) {
  if (!std::isfinite(value)) return value;
  char buffer[512];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits).ptr;
  double rounded = 0;
  std::from_chars(buffer, end, rounded);
  return rounded;
}

Value round_filter(Context&, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'round'", arguments, {"precision", "method"});
  if (!input.is_number()) refuse("filter 'round' needs a number, got a {}", type_name(input));
  const int64_t precision = bound.integer(0, 0);
  if (precision < 0 || precision > 100)
    refuse_unsupported("filter 'round' got precision {}, expected 0 to 100", precision);
  const std::string method = bound.text(1, "common").bytes();
  if (method == "common") {
    if (input.is_integer()) return Value::integer(input.as_int(), input.from_user());
    if (input.is(Kind::kBigInt)) return input;
    return Value::real(round_half_even(input.as_real(), static_cast<int>(precision)),
                       input.from_user());
  }
  if (method != "ceil" && method != "floor")
    refuse("filter 'round' got method '{}', expected common, ceil or floor", quotable(method));
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = input.as_real() * scale;
  return Value::real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale,
                     input.from_user());
}

Value abs_filter(Context&, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'abs'", arguments, {});
  if (!input.is_number()) refuse("filter 'abs' needs a number, got a {}", type_name(input));
  if (input.is(Kind::kBigInt)) return input;
  if (input.is(Kind::kFloat)) return Value::real(std::abs(input.as_real()), input.from_user());
  return input.as_int() < 0 ? negate(input) : Value::integer(input.as_int(), input.from_user());
}

Value sum_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'sum'", arguments, {"attribute", "start"});
  const AttributeGetter getter(context, bound.has(0) ? &bound[0] : nullptr);
  const Value sequence = iterate(context, input);
  Value total = bound.has(1) ? bound[1] : Value::integer(0);
  if (total.is_string()) refuse("filter 'sum' cannot add strings");
  for (const Value& item : sequence.list().items)
    total = arithmetic(context, Arithmetic::kAdd, total, getter.get(context, item));
  return total;
}

constexpr FilterEntry kFilters[] = {
    {"int", int_filter}, {"float", float_filter}, {"round", round_filter},
    {"abs", abs_filter}, {"sum", sum_filter},
};

}  // namespace

std::span<const FilterEntry> number_filters() { return kFilters; }

}  // namespace legato::tokenizer::jinja
