#include <map>

#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/printf_format.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/text_ops.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

using Method = Value (*)(Context&, const Text&, const Arguments&);

constexpr size_t kNpos = std::string_view::npos;

std::optional<Text> optional_text(const BoundArguments& bound, size_t index, const char* what) {
  if (!bound.has(index) || bound[index].is(Kind::kNone)) return std::nullopt;
  return require_text(bound[index], what);
}

template <Side kSide>
Value strip_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("strip()", arguments, {"chars"});
  return context.make_string(strip(context, text, optional_text(bound, 0, "chars"), kSide));
}

template <bool kFromRight>
Value split_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("split()", arguments, {"sep", "maxsplit"});
  const auto separator = optional_text(bound, 0, "sep");
  if (separator && separator->empty()) refuse("split() got an empty separator");
  const int64_t max_splits = bound.integer(1, -1);
  auto parts = kFromRight ? split_right(context, text, separator, max_splits)
                          : split(context, text, separator, max_splits);
  return make_text_list(context, std::move(parts), text);
}

Value splitlines_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("splitlines()", arguments, {"keepends"});
  return make_text_list(context, split_lines(context, text, bound.flag(0, false)), text);
}

template <Text (*kMap)(const Text&)>
Value case_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("a case method", arguments, {});
  context.budget.work(text.size());
  return context.make_string(kMap(text));
}

bool is_affix(Context& context, std::string_view text, const Value& affix, bool at_end) {
  const std::string& part = require_text(affix, at_end ? "a suffix" : "a prefix").bytes();
  context.budget.work();
  context.budget.scan(part.size());
  return at_end ? text.ends_with(part) : text.starts_with(part);
}

template <bool kAtEnd>
Value affix_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound(kAtEnd ? "endswith()" : "startswith()", arguments,
                             {kAtEnd ? "suffix" : "prefix"}, 1);
  const Value& affix = bound[0];
  if (!affix.is(Kind::kList) || affix.list().flavour != ListFlavour::kTuple)
    return Value::boolean(is_affix(context, text.bytes(), affix, kAtEnd));
  for (const Value& one : affix.list().items)
    if (is_affix(context, text.bytes(), one, kAtEnd)) return Value::boolean(true);
  return Value::boolean(false);
}

template <bool kAtEnd>
Value remove_affix_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound(kAtEnd ? "removesuffix()" : "removeprefix()", arguments, {"affix"}, 1);
  const size_t size = require_text(bound[0], "an affix").size();
  if (!is_affix(context, text.bytes(), bound[0], kAtEnd)) return context.make_string(text);
  return context.make_string(kAtEnd ? text.slice(0, text.size() - size)
                                    : text.slice(size, text.size()));
}

Value replace_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("replace()", arguments, {"old", "new", "count"}, 2);
  const Text& from = require_text(bound[0], "old");
  const Text& to = require_text(bound[1], "new");
  return context.make_string(replace(context, text, from, to, bound.integer(2, -1)));
}

/// find, rfind, index and rindex: the position in characters, -1 or an error when there is none.
template <bool kFromRight, bool kMustFind>
Value find_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("find()", arguments, {"sub", "start", "end"}, 1);
  const std::string& needle = require_text(bound[0], "sub").bytes();
  const auto length = static_cast<int64_t>(count_code_points(text.bytes()));
  const auto offset = [&](size_t argument, int64_t otherwise) {
    int64_t at = bound.has(argument) && !bound[argument].is(Kind::kNone)
                     ? bound.integer(argument, 0)
                     : otherwise;
    if (at < 0) at = at < -length ? 0 : at + length;
    return std::pair(at,
                     offset_of_code_point(text.bytes(), static_cast<size_t>(std::min(at, length))));
  };
  const auto [first, begin] = offset(1, 0);
  const size_t end = offset(2, length).second;
  context.budget.scan(text.size());
  size_t found = kNpos;
  if (first <= length && begin <= end) {
    const std::string_view part = std::string_view(text.bytes()).substr(begin, end - begin);
    found = kFromRight ? ReverseFinder(context, part, needle).find_last(part.size())
                       : find_bytes(context, part, needle);
  }
  if (found == kNpos && kMustFind) refuse("index() does not find '{}'", quotable(needle));
  if (found == kNpos) return Value::integer(-1);
  const size_t characters =
      count_code_points(std::string_view(text.bytes()).substr(0, begin + found));
  return Value::integer(static_cast<int64_t>(characters), !text.is_all_template());
}

Value count_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("count()", arguments, {"sub"}, 1);
  const std::string& needle = require_text(bound[0], "sub").bytes();
  context.budget.scan(text.size());
  int64_t count = 0;
  if (needle.empty()) {
    count = static_cast<int64_t>(count_code_points(text.bytes())) + 1;
  } else {
    for (size_t at = 0; (at = find_bytes(context, text.bytes(), needle, at)) != kNpos;
         at += needle.size()) {
      context.budget.work();
      ++count;
    }
  }
  return Value::integer(count, !text.is_all_template());
}

Value join_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("join()", arguments, {"iterable"}, 1);
  const Value items = iterate(context, bound[0]);
  Text out;
  bool first = true;
  for (const Value& item : items.list().items) {
    const Text& part = require_text(item, "an element of join()");
    context.budget.work(1 + (part.size() + text.size()) / 32);
    context.budget.require_string(out.size() + part.size() + text.size());
    if (!first) out.append(text);
    first = false;
    out.append(part);
  }
  return context.make_string(std::move(out));
}

Value format_method(Context& context, const Text& text, const Arguments& arguments) {
  return context.make_string(brace_format(context, text, arguments));
}

template <Side kSide>
Value justify_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("a padding method", arguments, {"width", "fillchar"}, 1);
  const Text fill = bound.text(1, " ");
  if (count_code_points(fill.bytes()) != 1) refuse("the fill character must be one character long");
  return context.make_string(pad(context, text, bound.integer(0, 0), kSide, fill));
}

/// Whether all characters satisfy a class and there is one at least.
template <bool (*kHolds)(char32_t)>
Value class_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("a character class method", arguments, {});
  context.budget.work(text.size() / 8);
  bool all = !text.empty();
  for (size_t at = 0; all && at < text.size();) all = kHolds(next_code_point(text.bytes(), at));
  return Value::boolean(all);
}

bool is_alnum(char32_t c) { return is_alpha(c) || is_digit(c); }

template <bool kUpper>
Value only_case_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("a case test", arguments, {});
  context.budget.work(text.size() / 8);
  return Value::boolean(has_only_case(text, kUpper));
}

template <bool kFromRight>
Value partition_method(Context& context, const Text& text, const Arguments& arguments) {
  const BoundArguments bound("partition()", arguments, {"sep"}, 1);
  const Text& separator = require_text(bound[0], "sep");
  if (separator.empty()) refuse("partition() got an empty separator");
  const size_t at =
      kFromRight ? ReverseFinder(context, text.bytes(), separator.bytes()).find_last(text.size())
                 : find_bytes(context, text.bytes(), separator.bytes());
  const bool found = at != kNpos;
  Items parts(3, context.make_string(Text()));
  if (!found) {
    parts[kFromRight ? 2 : 0] = context.make_string(text);
  } else {
    parts[0] = context.make_string(text.slice(0, at));
    parts[1] = context.make_string(text.slice(at, at + separator.size()));
    parts[2] = context.make_string(text.slice(at + separator.size(), text.size()));
  }
  return context.make_list(std::move(parts), ListFlavour::kTuple, !text.is_all_template());
}

const std::map<std::string_view, Method>& methods() {
  static const std::map<std::string_view, Method> table = {
      {"strip", strip_method<Side::kBoth>},
      {"lstrip", strip_method<Side::kLeft>},
      {"rstrip", strip_method<Side::kRight>},
      {"split", split_method<false>},
      {"rsplit", split_method<true>},
      {"splitlines", splitlines_method},
      {"startswith", affix_method<false>},
      {"endswith", affix_method<true>},
      {"removeprefix", remove_affix_method<false>},
      {"removesuffix", remove_affix_method<true>},
      {"upper", case_method<to_upper>},
      {"lower", case_method<to_lower>},
      {"title", case_method<to_title>},
      {"capitalize", case_method<to_capitalized>},
      {"replace", replace_method},
      {"find", find_method<false, false>},
      {"rfind", find_method<true, false>},
      {"index", find_method<false, true>},
      {"rindex", find_method<true, true>},
      {"count", count_method},
      {"join", join_method},
      {"format", format_method},
      {"center", justify_method<Side::kBoth>},
      {"ljust", justify_method<Side::kLeft>},
      {"rjust", justify_method<Side::kRight>},
      {"isdigit", class_method<is_digit>},
      {"isalpha", class_method<is_alpha>},
      {"isalnum", class_method<is_alnum>},
      {"isspace", class_method<is_space>},
      {"isupper", only_case_method<true>},
      {"islower", only_case_method<false>},
      {"partition", partition_method<false>},
      {"rpartition", partition_method<true>},
  };
  return table;
}

}  // namespace

bool is_string_method(std::string_view name) { return methods().contains(name); }

Value call_string_method(Context& context, const MethodObject& method, const Arguments& arguments) {
  return methods().find(method.name)->second(context, method.receiver.text(), arguments);
}

}  // namespace legato::tokenizer::jinja
