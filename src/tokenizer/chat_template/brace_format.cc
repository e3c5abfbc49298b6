#include <charconv>

#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/printf_format.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/text_ops.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

/// What follows the colon: [[fill]align][sign][0][width][,][.precision][type].
struct Specification {
  Text fill{" ", true};
  char align = '\0';
  char sign = '-';
  bool comma = false;
  int64_t width = 0;
  int64_t precision = -1;
  char type = '\0';
};

bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

int64_t read_number(std::string_view text, size_t& at) {
  int64_t value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && value < (int64_t{1} << 32))
    value = value * 10 + (text[at++] - '0');
  return value;
}

Specification read_specification(const Text& source) {
  const std::string& text = source.bytes();
  Specification read;
  size_t at = 0;
  size_t after_first = 0;
  if (!text.empty()) next_code_point(text, after_first);
  if (after_first < text.size() && is_align(text[after_first])) {
    read.fill = source.slice(0, after_first);
    read.align = text[after_first];
    at = after_first + 1;
  } else if (!text.empty() && is_align(text[0])) {
    read.align = text[0];
    at = 1;
  }
  if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' '))
    read.sign = text[at++];
  if (at < text.size() && text[at] == '0') {
    if (read.align == '\0') {
      read.fill = Text("0", true);
      read.align = '=';
    }
    ++at;
  }
  read.width = read_number(text, at);
  if (at < text.size() && text[at] == ',') {
    read.comma = true;
    ++at;
  }
  if (at < text.size() && text[at] == '.') {
    ++at;
    read.precision = read_number(text, at);
  }
  if (at < text.size()) read.type = text[at++];
  if (at != text.size())
    refuse_unsupported("format specification '{}' is not supported", quotable(text));
  return read;
}

/// Puts a comma before every third digit of the integer part; "inf" and "nan" have none.
std::string with_commas(const std::string& digits) {
  const size_t begin = digits.find_first_of("0123456789");
  if (begin == digits.npos) return digits;
  const size_t end = std::min(digits.find_first_not_of("0123456789", begin), digits.size());
  std::string out = digits.substr(0, begin);
  for (size_t at = begin; at < end; ++at) {
    if (at > begin && (end - at) % 3 == 0) out += ',';
    out += digits[at];
  }
  return out + digits.substr(end);
}

Text format_one(Context& context, const Value& value, const Text& source) {
  const Specification wanted = read_specification(source);
  Text body;
  bool is_number = false;
  if (value.is_number() && !(value.is(Kind::kBool) && wanted.type == '\0')) {
    is_number = true;
    const char type = wanted.type != '\0' ? wanted.type : value.is(Kind::kFloat) ? '\0' : 'd';
    if (type != '\0' && std::string_view("dxXobfeg%").find(type) == std::string_view::npos)
      refuse("format type '{}' does not fit a {}", quotable(std::string(1, type)),
             type_name(value));
    if (value.is(Kind::kFloat) && std::string_view("dxXob").find(type) != std::string_view::npos &&
        type != '\0')
      refuse("format type '{}' does not fit a float", type);
    if (type == '\0' && wanted.precision >= 0)
      refuse_unsupported("a precision without format type is not supported");
    std::string digits =
        type == '\0' ? format_float(value.as_real()) : format_number(value, type, wanted.precision);
    if (wanted.comma) digits = with_commas(digits);
    if (wanted.sign != '-' && digits[0] != '-') digits.insert(0, 1, wanted.sign);
    body = Text(digits, !value.from_user());
  } else {
    if (wanted.type != '\0' && wanted.type != 's')
      refuse("format type '{}' needs a number", quotable(std::string(1, wanted.type)));
    if (!source.empty() && !value.is_string() && !value.is(Kind::kBool))
      refuse("a {} takes no format specification", type_name(value));
    append_str(context, value, body);
    if (wanted.precision >= 0)
      body =
          body.slice(0, offset_of_code_point(body.bytes(), static_cast<size_t>(wanted.precision)));
  }
  const bool has_sign =
      !body.empty() && (body.bytes()[0] == '-' || body.bytes()[0] == '+' || body.bytes()[0] == ' ');
  if (wanted.align == '=' && is_number && has_sign) {
    Text out = body.slice(0, 1);
    out.append(
        pad(context, body.slice(1, body.size()), wanted.width - 1, Side::kRight, wanted.fill));
    return out;
  }
  const bool right =
      wanted.align == '>' || wanted.align == '=' || (wanted.align == '\0' && is_number);
  if (wanted.align == '^') {
    const auto length = static_cast<int64_t>(count_code_points(body.bytes()));
    const int64_t before = length + std::max<int64_t>(wanted.width - length, 0) / 2;
    body = pad(context, body, before, Side::kRight, wanted.fill);
    return pad(context, body, wanted.width, Side::kLeft, wanted.fill);
  }
  return pad(context, body, wanted.width, right ? Side::kRight : Side::kLeft, wanted.fill);
}

const Value& find_field(std::string_view name, const Arguments& arguments, size_t& automatic) {
  size_t index = 0;
  const bool is_index =
      name.empty() || std::from_chars(name.data(), name.data() + name.size(), index).ptr ==
                          name.data() + name.size();
  if (is_index) {
    if (name.empty()) index = automatic++;
    if (index >= arguments.positional.size()) refuse("a format has more places than values");
    return arguments.positional[index];
  }
  if (name.find_first_of(".[") != name.npos)
    refuse_unsupported("format field '{}' walks into a value, which is not supported",
                       quotable(name));
  for (const auto& [known, value] : arguments.named)
    if (known == name) return value;
  refuse("a format names '{}', which is not given", quotable(name));
}

}  // namespace

Text brace_format(Context& context, const Text& format, const Arguments& arguments) {
  const std::string& bytes = format.bytes();
  Text out;
  size_t automatic = 0;
  const auto append = [&](const Text& text) {
    context.budget.work();
    context.budget.scan(text.size());
    context.budget.require_string(out.size() + text.size());
    out.append(text);
  };
  for (size_t at = 0; at < bytes.size();) {
    const size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
    append(format.slice(at, brace));
    at = brace;
    if (at == bytes.size()) break;
    if (at + 1 < bytes.size() && bytes[at + 1] == bytes[at]) {
      append(format.slice(at, at + 1));
      at += 2;
      continue;
    }
    const size_t end = bytes.find('}', at);
    if (bytes[at] == '}' || end == bytes.npos) refuse("a format has a single brace");
    size_t name_end = at + 1;
    while (name_end < end && bytes[name_end] != '!' && bytes[name_end] != ':') ++name_end;
    const std::string name = bytes.substr(at + 1, name_end - at - 1);
    if (bytes.substr(at + 1, end - at - 1).find('{') != bytes.npos)
      refuse_unsupported("nested format fields are not supported");
    const Value& found = find_field(name, arguments, automatic);
    Value value = found;
    if (bytes[name_end] == '!') {
      const char conversion = name_end + 1 < end ? bytes[name_end + 1] : '\0';
      if (conversion != 'r' && conversion != 's')
        refuse_unsupported("only the conversions !r and !s are supported");
      Text converted;
      conversion == 'r' ? append_repr(context, found, converted)
                        : append_str(context, found, converted);
      value = context.make_string(std::move(converted));
      name_end += 2;
      if (name_end != end && bytes[name_end] != ':')
        refuse("a format field does not end after its conversion");
    }
    append(format_one(context, value, format.slice(std::min(name_end + 1, end), end)));
    at = end + 1;
  }
  return out;
}

}  // namespace legato::tokenizer::jinja
