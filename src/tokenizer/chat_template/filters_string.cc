#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/printf_format.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/text_ops.h"
#include "tokenizer/chat_template/tojson.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

Text soft_text(Context& context, const Value& value) {
  Text out;
  append_str(context, value, out);
  return out;
}

Value trim_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'trim'", arguments, {"chars"});
  std::optional<Text> characters;
  if (bound.has(0) && !bound[0].is(Kind::kNone)) characters = require_text(bound[0], "chars");
  return context.make_string(strip(context, soft_text(context, input), characters, Side::kBoth));
}

template <Text (*kMap)(const Text&)>
Value case_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("a case filter", arguments, {});
  const Text text = soft_text(context, input);
  context.budget.work(text.size());
  return context.make_string(kMap(text));
}

/// Jinja's title differs from Python's: words begin after white space, hyphens and opening brackets
/// only.
Text to_title_words(const Text& text) {
  Text out;
  const auto begins_word = [](char32_t c) {
    return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
  };
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const bool is_break = begins_word(next_code_point(text.bytes(), at));
    const size_t after_first = at;
    for (size_t next = at; next < text.size(); at = next)
      if (begins_word(next_code_point(text.bytes(), next)) != is_break) break;
    out.append(to_upper(text.slice(begin, after_first)));
    out.append(to_lower(text.slice(after_first, at)));
  }
  return out;
}

Value replace_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'replace'", arguments, {"old", "new", "count"}, 2);
  const int64_t count = bound.has(2) && !bound[2].is(Kind::kNone) ? bound.integer(2, -1) : -1;
  const Text text = soft_text(context, input);
  return context.make_string(
      replace(context, text, soft_text(context, bound[0]), soft_text(context, bound[1]), count));
}

Value indent_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'indent'", arguments, {"width", "first", "blank"});
  Text indention = Text(" ", true);
  if (bound.has(0) && bound[0].is_string()) {
    indention = bound[0].text();
  } else {
    indention = pad(context, Text(), bound.integer(0, 4), Side::kLeft, Text(" ", true));
  }
  const bool blank = bound.flag(2, false);
  Text source = soft_text(context, input);
  source.append("\n", true);
  const Charge charge(context.budget, source.held_bytes());
  Text out;
  bool first = true;
  for (const Text& line : split_lines(context, source, false)) {
    context.budget.work(1 + indention.size() / 32);
    context.budget.require_string(out.size() + line.size() + indention.size() + 1);
    if (!first) out.append("\n", true);
    if (first ? bound.flag(1, false) : blank || !line.empty()) out.append(indention);
    first = false;
    out.append(line);
  }
  return context.make_string(std::move(out));
}

Value escape_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'escape'", arguments, {});
  const Text text = soft_text(context, input);
  context.budget.work(text.size() / 8);
  Text out;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t special = std::min(text.bytes().find_first_of("&<>'\"", at), text.size());
    out.append_slice(text, at, special);
    context.budget.require_string(out.size());
    at = special;
    if (at == text.size()) break;
    const char c = text.bytes()[at];
    const char* entity = c == '&'    ? "&amp;"
                         : c == '<'  ? "&lt;"
                         : c == '>'  ? "&gt;"
                         : c == '\'' ? "&#39;"
                                     : "&#34;";
    out.append(entity, text.is_template_at(at));
  }
  return context.make_string(std::move(out));
}

Value string_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'string'", arguments, {});
  return to_string_value(context, input);
}

Value wordcount_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'wordcount'", arguments, {});
  const Text text = soft_text(context, input);
  context.budget.work(text.size() / 8);
  int64_t words = 0;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text.bytes(), at);
    const bool is_word = c == '_' || is_alpha(c) || is_digit(c);
    if (is_word && !inside) ++words;
    inside = is_word;
  }
  return Value::integer(words, !text.is_all_template());
}

Value truncate_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'truncate'", arguments,
                             {"length", "killwords", "end", "leeway"});
  const int64_t length = bound.integer(0, 255);
  const Text end = bound.text(2, "...");
  const auto end_length = static_cast<int64_t>(count_code_points(end.bytes()));
  const int64_t leeway = bound.has(3) && !bound[3].is(Kind::kNone) ? bound.integer(3, 0) : 5;
  if (length < end_length)
    refuse("filter 'truncate' got a length of {}, expected at least {}", length, end_length);
  if (leeway < 0) refuse("filter 'truncate' got a leeway of {}, expected at least 0", leeway);
  const Text text = soft_text(context, input);
  const auto size = static_cast<int64_t>(count_code_points(text.bytes()));
  if (size <= length || size - length <= leeway) return context.make_string(text);
  Text out =
      text.slice(0, offset_of_code_point(text.bytes(), static_cast<size_t>(length - end_length)));
  if (!bound.flag(1, false))
    if (const size_t space = out.bytes().rfind(' '); space != std::string::npos)
      out = out.slice(0, space);
  out.append(end);
  return context.make_string(std::move(out));
}

Value center_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'center'", arguments, {"width"});
  return context.make_string(
      pad(context, soft_text(context, input), bound.integer(0, 80), Side::kBoth, Text(" ", true)));
}

Value format_filter(Context& context, const Value& input, const Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty())
    refuse("filter 'format' takes positional or named arguments, not both");
  const Text format = soft_text(context, input);
  std::vector<Entry> entries;
  for (const auto& [name, value] : arguments.named)
    entries.emplace_back(context.make_string(name, true), value);
  const Value values = arguments.named.empty()
                           ? context.make_list(arguments.positional, ListFlavour::kTuple)
                           : context.make_dict(std::move(entries));
  return context.make_string(printf_format(context, format, values));
}

constexpr FilterEntry kFilters[] = {
    {"trim", trim_filter},
    {"upper", case_filter<to_upper>},
    {"lower", case_filter<to_lower>},
    {"title", case_filter<to_title_words>},
    {"capitalize", case_filter<to_capitalized>},
    {"replace", replace_filter},
    {"indent", indent_filter},
    {"escape", escape_filter},
    {"e", escape_filter},
    {"safe", string_filter},
    {"string", string_filter},
    {"wordcount", wordcount_filter},
    {"truncate", truncate_filter},
    {"center", center_filter},
    {"format", format_filter},
    {"tojson", tojson},
};

}  // namespace

std::span<const FilterEntry> string_filters() { return kFilters; }

}  // namespace legato::tokenizer::jinja
