#include "tokenizer/chat_template/printf_format.h"

#include <cmath>

#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/text_ops.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

constexpr int64_t kMaxPrecision = 100;

int64_t truncate_to_int(const Value& value) {
  if (value.is_integer()) return value.as_int();
  const double real = value.as_real();
  if (!(std::abs(real) < 9.2e18)) refuse("{} is outside of 64-bit integers", real);
  return static_cast<int64_t>(real);
}

std::string format_integer(int64_t value, char type) {
  const uint64_t magnitude =
      value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const char* sign = value < 0 ? "-" : "";
  if (type == 'x') return fmt::format("{}{:x}", sign, magnitude);
  if (type == 'X') return fmt::format("{}{:X}", sign, magnitude);
  if (type == 'o') return fmt::format("{}{:o}", sign, magnitude);
  if (type == 'b') return fmt::format("{}{:b}", sign, magnitude);
  return fmt::format("{}{}", sign, magnitude);
}

/// One % directive while it is read.
struct Directive {
  bool left = false;
  bool zero = false;
  bool plus = false;
  bool space = false;
  int64_t width = 0;
  int64_t precision = -1;
};

class PrintfFormatter {
 public:
  PrintfFormatter(Context& context, const Text& format, const Value& values)
      : context_(context), format_(format), bytes_(format.bytes()), values_(values) {}

  Text run() {
    size_t plain = 0;
    while ((at_ = bytes_.find('%', plain)) != bytes_.npos) {
      append(format_.slice(plain, at_));
      ++at_;
      directive();
      plain = at_;
    }
    append(format_.slice(plain, bytes_.size()));
    const bool is_tuple = values_.is(Kind::kList) && values_.list().flavour == ListFlavour::kTuple;
    const size_t given = is_tuple ? values_.list().items.size() : 1;
    if (used_ < given && (is_tuple || !values_.is(Kind::kDict)))
      refuse("a format has {} places for {} values", used_, given);
    return std::move(out_);
  }

 private:
  void append(const Text& text) {
    context_.budget.work();
    context_.budget.scan(text.size());
    context_.budget.require_string(out_.size() + text.size());
    out_.append(text);
  }

  char peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }

  int64_t read_number() {
    int64_t value = 0;
    while (peek() >= '0' && peek() <= '9' && value < (int64_t{1} << 32))
      value = value * 10 + (bytes_[at_++] - '0');
    return value;
  }

  void directive() {
    if (peek() == '%') {
      append(format_.slice(at_, at_ + 1));
      ++at_;
      return;
    }
    const Value* named = nullptr;
    if (peek() == '(') named = &read_name();
    Directive read;
    for (; std::string_view("-0+ ").find(peek()) != std::string_view::npos && peek() != '\0';
         ++at_) {
      read.left |= peek() == '-';
      read.zero |= peek() == '0';
      read.plus |= peek() == '+';
      read.space |= peek() == ' ';
    }
    read.width = read_number();
    if (peek() == '.') {
      ++at_;
      read.precision = read_number();
    }
    const char type = peek();
    if (type == '\0') refuse("a format ends inside of a % directive");
    ++at_;
    const Value& value = named != nullptr ? *named : next_value();
    const Text body = convert(value, type, read);
    const bool pads_zero = read.zero && !read.left && type != 's' && type != 'r';
    if (pads_zero && !body.empty() && (body.bytes()[0] == '-' || body.bytes()[0] == '+')) {
      append(body.slice(0, 1));
      return append(
          pad(context_, body.slice(1, body.size()), read.width - 1, Side::kRight, Text("0", true)));
    }
    append(pad(context_, body, read.width, read.left ? Side::kLeft : Side::kRight,
               Text(pads_zero ? "0" : " ", true)));
  }

  const Value& read_name() {
    const size_t end = bytes_.find(')', at_);
    if (end == bytes_.npos) refuse("a % directive has no closing parenthesis");
    if (!values_.is(Kind::kDict)) refuse("a format with names needs a dict");
    const std::string name = bytes_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    const Value* found = values_.dict().find(name);
    if (found == nullptr) refuse("a format names '{}', which is not given", quotable(name));
    return *found;
  }

  const Value& next_value() {
    const bool is_tuple = values_.is(Kind::kList) && values_.list().flavour == ListFlavour::kTuple;
    const size_t index = used_++;
    if (is_tuple ? index >= values_.list().items.size() : index > 0)
      refuse("a format has more places than values");
    return is_tuple ? values_.list().items[index] : values_;
  }

  Text convert(const Value& value, char type, const Directive& directive) {
    if (type == 's' || type == 'r') {
      Text text;
      type == 's' ? append_str(context_, value, text) : append_repr(context_, value, text);
      if (directive.precision < 0) return text;
      return text.slice(
          0, offset_of_code_point(text.bytes(), static_cast<size_t>(directive.precision)));
    }
    if (std::string_view("dixXofeg").find(type) == std::string_view::npos)
      refuse_unsupported("format directive %{} is not supported", quotable(std::string(1, type)));
    if (!value.is_number())
      refuse("format directive %{} needs a number, got a {}", type, type_name(value));
    std::string digits = format_number(value, type == 'i' ? 'd' : type, directive.precision);
    if (digits[0] != '-' && directive.plus) digits.insert(0, "+");
    if (digits[0] != '-' && digits[0] != '+' && directive.space) digits.insert(0, " ");
    return Text(digits, !value.from_user());
  }

  Context& context_;
  const Text& format_;
  const std::string& bytes_;
  const Value& values_;
  size_t at_ = 0;
  size_t used_ = 0;
  Text out_;
};

}  // namespace

std::string format_number(const Value& value, char type, int64_t precision) {
  if (precision > kMaxPrecision)
    refuse_cost("formats a number with {} digits, expected at most {}", precision, kMaxPrecision);
  const int digits = precision < 0 ? 6 : static_cast<int>(precision);
  switch (type) {
    case 'f':
      return fmt::format("{:.{}f}", value.as_real(), digits);
    case 'e':
      return fmt::format("{:.{}e}", value.as_real(), digits);
    case 'g':
      return fmt::format("{:.{}g}", value.as_real(), digits);
    case '%':
      return fmt::format("{:.{}f}%", value.as_real() * 100, digits);
    default:
      if (value.is(Kind::kBigInt) && type == 'd') return std::to_string(value.as_big());
      return format_integer(truncate_to_int(value), type);
  }
}

Text printf_format(Context& context, const Text& format, const Value& values) {
  return PrintfFormatter(context, format, values).run();
}

}  // namespace legato::tokenizer::jinja
