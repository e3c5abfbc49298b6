#include "tokenizer/chat_template/format_value.h"

#include <utf8proc.h>

#include <charconv>
#include <cmath>

#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"

namespace legato::tokenizer::jinja {
namespace {

bool is_printable(char32_t c) {
  if (c == ' ') return true;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

std::string escape(char32_t c, char quote) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  if (c == '\\' || c == static_cast<char32_t>(quote))
    return std::string("\\") + static_cast<char>(c);
  if (c < 0x100) return fmt::format("\\x{:02x}", static_cast<uint32_t>(c));
  if (c < 0x10000) return fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
  return fmt::format("\\U{:08x}", static_cast<uint32_t>(c));
}

void append_quoted(Context& context, const Text& text, Text& out) {
  const std::string& bytes = text.bytes();
  const char quote = bytes.find('\'') != bytes.npos && bytes.find('"') == bytes.npos ? '"' : '\'';
  const std::string_view mark(&quote, 1);
  context.budget.work(text.size() / 4);
  context.budget.require_string(out.size() + text.size());
  out.append(mark, text.is_all_template());
  for (size_t at = 0; at < bytes.size();) {
    const size_t begin = at;
    const char32_t c = next_code_point(bytes, at);
    if (is_printable(c) && c != '\\' && c != static_cast<char32_t>(quote)) {
      out.append_slice(text, begin, at);
    } else {
      out.append(escape(c, quote), text.is_template_at(begin));
    }
  }
  out.append(mark, text.is_all_template());
}

void append_list(Context& context, const Value& value, Text& out) {
  const ListObject& list = value.list();
  const bool is_template = !value.from_user();
  if (list.flavour > ListFlavour::kRange) refuse("cannot print a {}", type_name(value));
  const bool is_tuple = list.flavour == ListFlavour::kTuple;
  out.append(is_tuple ? "(" : "[", is_template);
  bool first = true;
  for (const Value& item : list.items) {
    if (!first) out.append(", ", is_template);
    first = false;
    append_repr(context, item, out);
  }
  if (is_tuple && list.items.size() == 1) out.append(",", is_template);
  out.append(is_tuple ? ")" : "]", is_template);
}

void append_dict(Context& context, const Value& value, Text& out) {
  const bool is_template = !value.from_user();
  out.append("{", is_template);
  bool first = true;
  for (const Entry& entry : value.dict().entries) {
    if (!first) out.append(", ", is_template);
    first = false;
    append_repr(context, entry.first, out);
    out.append(": ", is_template);
    append_repr(context, entry.second, out);
  }
  out.append("}", is_template);
}

}  // namespace

std::string format_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string scientific(buffer, end);
  const size_t mark = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(mark + 1));
  if (exponent < -4 || exponent >= 16)
    return scientific.substr(0, mark) +
           fmt::format("e{}{:02d}", exponent < 0 ? '-' : '+', std::abs(exponent));
  const auto fixed_end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  std::string fixed(buffer, fixed_end);
  if (fixed.find('.') == fixed.npos) fixed += ".0";
  return fixed;
}

void append_str(Context& context, const Value& value, Text& out) {
  if (value.is_string()) {
    context.budget.scan(value.text().size());
    context.budget.require_string(out.size() + value.text().size());
    out.append(value.text());
  } else if (!value.is_undefined()) {
    append_repr(context, value, out);
  }
}

void append_repr(Context& context, const Value& value, Text& out) {
  context.budget.work();
  context.budget.require_string(out.size());
  const bool is_template = !value.from_user();
  switch (value.kind()) {
    case Kind::kUndefined:
      return out.append("Undefined", is_template);
    case Kind::kNone:
      return out.append("None", is_template);
    case Kind::kBool:
      return out.append(value.as_bool() ? "True" : "False", is_template);
    case Kind::kInt:
      return out.append(std::to_string(value.as_int()), is_template);
    case Kind::kBigInt:
      return out.append(std::to_string(value.as_big()), is_template);
    case Kind::kFloat:
      return out.append(format_float(value.as_real()), is_template);
    case Kind::kString:
      return append_quoted(context, value.text(), out);
    case Kind::kList:
      return append_list(context, value, out);
    case Kind::kDict:
      return append_dict(context, value, out);
    default:
      refuse("cannot print a {}", type_name(value));
  }
}

Value to_string_value(Context& context, const Value& value) {
  if (value.is_string()) return value;
  Text out;
  append_str(context, value, out);
  return context.make_string(std::move(out));
}

}  // namespace legato::tokenizer::jinja
