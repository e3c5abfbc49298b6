#include "tokenizer/chat_template/tojson.h"

#include <algorithm>
#include <cmath>

#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

std::string escape_utf16(char32_t c) {
  if (c < 0x10000) return fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
  const auto rest = static_cast<uint32_t>(c) - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

class JsonWriter {
 public:
  JsonWriter(Context& context, const BoundArguments& arguments) : context_(context) {
    charge_ = Charge(context.budget, 0);
    ascii_only_ = arguments.flag(0, false);
    sort_keys_ = arguments.flag(3, false);
    item_separator_ = Text(", ", true);
    key_separator_ = Text(": ", true);
    if (arguments.has(1) && !arguments[1].is(Kind::kNone)) {
      set_indent(arguments[1]);
      item_separator_ = Text(",", true);
    }
    if (arguments.has(2) && !arguments[2].is(Kind::kNone)) set_separators(arguments[2]);
  }

  void write(const Value& value, int level = 0) {
    context_.budget.work();
    const bool is_template = !value.from_user();
    switch (value.kind()) {
      case Kind::kNone:
        return put("null", is_template);
      case Kind::kBool:
        return put(value.as_bool() ? "true" : "false", is_template);
      case Kind::kInt:
      case Kind::kBigInt:
      case Kind::kFloat:
        return put(number(value), is_template);
      case Kind::kString:
        return write_string(value.text());
      case Kind::kList:
        if (value.list().flavour <= ListFlavour::kTuple) return write_list(value, level);
        break;
      case Kind::kDict:
        return write_dict(value, level);
      default:
        break;
    }
    refuse("a {} cannot be written as JSON", type_name(value));
  }

  Text take() { return std::move(out_); }

 private:
  void set_indent(const Value& indent) {
    has_indent_ = true;
    if (indent.is_string()) {
      indent_ = indent.text();
      return;
    }
    const int64_t width = require_int(indent, "indent");
    if (width > 1000) refuse_cost("indents JSON by {} places, expected at most 1000", width);
    indent_ = Text(std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' '), true);
  }

  void set_separators(const Value& separators) {
    if (!separators.is(Kind::kList) || separators.list().items.size() != 2)
      refuse("separators must be a pair of strings");
    item_separator_ = require_text(separators.list().items[0], "the separator of items");
    key_separator_ = require_text(separators.list().items[1], "the separator of keys");
  }

  static std::string number(const Value& value) {
    if (value.is(Kind::kInt)) return std::to_string(value.as_int());
    if (value.is(Kind::kBigInt)) return std::to_string(value.as_big());
    const double real = value.as_real();
    if (std::isnan(real)) return "NaN";
    if (std::isinf(real)) return real < 0 ? "-Infinity" : "Infinity";
    return format_float(real);
  }

  void put(std::string_view bytes, bool is_template) { put(Text(bytes, is_template)); }

  void put(const Text& text) {
    context_.budget.require_string(out_.size() + text.size());
    const size_t held = out_.held_bytes();
    out_.append(text);
    charge_.grow(out_.held_bytes() - held);
  }

  void write_string(const Text& text) {
    const bool is_template = text.is_all_template();
    put("\"", is_template);
    context_.budget.work(text.size() / 8);
    size_t plain = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      const char32_t c = next_code_point(text.bytes(), at);
      const std::string escaped = escape(c);
      if (escaped.empty()) continue;
      put(text.slice(plain, begin));
      put(escaped, text.is_template_at(begin));
      plain = at;
    }
    put(text.slice(plain, text.size()));
    put("\"", is_template);
  }

  /// Empty for a character that stands for itself.
  std::string escape(char32_t c) const {
    switch (c) {
      case '"':
        return "\\\"";
      case '\\':
        return "\\\\";
      case '\n':
        return "\\n";
      case '\r':
        return "\\r";
      case '\t':
        return "\\t";
      case '\b':
        return "\\b";
      case '\f':
        return "\\f";
      default:
        return c < 0x20 || (ascii_only_ && c > 0x7F) ? escape_utf16(c) : "";
    }
  }

  void new_line(int level, bool is_template) {
    if (!has_indent_) return;
    put("\n", is_template);
    for (int i = 0; i < level; ++i) put(indent_);
  }

  void separate(const Text& separator, bool is_template) {
    put(separator.bytes(), is_template && separator.is_all_template());
  }

  void write_list(const Value& value, int level) {
    const bool is_template = !value.from_user();
    const Items& items = value.list().items;
    put("[", is_template);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) separate(item_separator_, is_template);
      new_line(level + 1, is_template);
      write(items[i], level + 1);
    }
    if (!items.empty()) new_line(level, is_template);
    put("]", is_template);
  }

  void write_key(const Value& key) {
    if (key.is_string()) return write_string(key.text());
    if (!key.is_number() && !key.is(Kind::kNone))
      refuse("a {} cannot be a key in JSON", type_name(key));
    put("\"", !key.from_user());
    write(key);
    put("\"", !key.from_user());
  }

  void write_dict(const Value& value, int level) {
    const bool is_template = !value.from_user();
    std::vector<const Entry*> entries;
    for (const Entry& entry : value.dict().entries) entries.push_back(&entry);
    if (sort_keys_)
      std::stable_sort(entries.begin(), entries.end(), [this](const Entry* a, const Entry* b) {
        return is_less(context_, a->first, b->first);
      });
    put("{", is_template);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) separate(item_separator_, is_template);
      new_line(level + 1, is_template);
      write_key(entries[i]->first);
      separate(key_separator_, is_template);
      write(entries[i]->second, level + 1);
    }
    if (!entries.empty()) new_line(level, is_template);
    put("}", is_template);
  }

  Context& context_;
  Charge charge_;
  Text out_;
  bool ascii_only_ = false;
  bool sort_keys_ = false;
  bool has_indent_ = false;
  Text indent_;
  Text item_separator_;
  Text key_separator_;
};

}  // namespace

Value tojson(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'tojson'", arguments,
                             {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonWriter writer(context, bound);
  writer.write(input);
  return context.make_string(writer.take());
}

}  // namespace legato::tokenizer::jinja
