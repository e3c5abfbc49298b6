#include <algorithm>
#include <array>

#include "tokenizer/chat_template/ast.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

template <size_t N>
bool has_name(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 8> kListChanges = {"append", "insert",  "extend", "pop",
                                                          "remove", "reverse", "sort",   "clear"};
constexpr std::array<std::string_view, 5> kDictChanges = {"clear", "pop", "popitem", "setdefault",
                                                          "update"};
constexpr std::array<std::string_view, 4> kDictMethods = {"get", "items", "keys", "values"};
constexpr std::array<std::string_view, 2> kListMethods = {"count", "index"};

Value missing(const Value& value, std::string_view name) {
  return Value::undefined(fmt::format("'{}' of a {}", quotable(name), type_name(value)));
}

std::optional<Value> find_method(Context& context, const Value& value, std::string_view name) {
  const bool is_list = value.is(Kind::kList);
  const bool is_dict = value.is(Kind::kDict);
  if ((is_list && has_name(kListChanges, name)) || (is_dict && has_name(kDictChanges, name)))
    refuse_unsupported("method '{}' changes a {}, which templates may not", name, type_name(value));
  if ((is_list && has_name(kListMethods, name)) || (is_dict && has_name(kDictMethods, name)) ||
      (value.is_string() && is_string_method(name)))
    return context.make_method(value, std::string(name));
  return std::nullopt;
}

Value loop_attribute(Context& context, const Value& value, std::string_view name) {
  const LoopObject& loop = value.loop();
  if (loop.sequence.is_undefined()) refuse("'loop' is used after its loop has ended");
  const Items& items = loop.sequence.list().items;
  const auto index = static_cast<int64_t>(loop.index);
  const auto length = static_cast<int64_t>(items.size());
  if (name == "index") return Value::integer(index + 1);
  if (name == "index0") return Value::integer(index);
  if (name == "revindex") return Value::integer(length - index);
  if (name == "revindex0") return Value::integer(length - index - 1);
  if (name == "first") return Value::boolean(index == 0);
  if (name == "last") return Value::boolean(index + 1 == length);
  if (name == "length") return Value::integer(length);
  if (name == "depth") return Value::integer(1);
  if (name == "depth0") return Value::integer(0);
  if (name == "previtem")
    return index > 0 ? items[loop.index - 1] : Value::undefined("there is no previous item");
  if (name == "nextitem")
    return index + 1 < length ? items[loop.index + 1] : Value::undefined("there is no next item");
  if (name == "cycle" || name == "changed") return context.make_method(value, std::string(name));
  return missing(value, name);
}

/// Position of a Python index, or nothing when it is outside.
std::optional<size_t> position(int64_t index, size_t size) {
  if (index < 0) index += static_cast<int64_t>(size);
  if (index < 0 || static_cast<uint64_t>(index) >= size) return std::nullopt;
  return static_cast<size_t>(index);
}

Value character_at(Context& context, const Text& text, size_t index) {
  context.budget.scan(text.size());
  const size_t begin = offset_of_code_point(text.bytes(), index);
  size_t end = begin;
  next_code_point(text.bytes(), end);
  return context.make_string(text.slice(begin, end));
}

/// The positions that a slice of a sequence of `size` elements visits.
std::vector<size_t> slice_positions(Context& context, std::span<const Value, 3> parts,
                                    size_t size) {
  const auto length = static_cast<int64_t>(size);
  const int64_t step = parts[2].is(Kind::kNone) ? 1 : require_int(parts[2], "the step of a slice");
  if (step == 0) refuse("the step of a slice is 0");
  const auto bound = [&](const Value& part, int64_t otherwise, const char* what) {
    if (part.is(Kind::kNone)) return otherwise;
    int64_t at = require_int(part, what);
    if (at < 0) at = at < -length ? -1 : at + length;
    if (at < 0) return step < 0 ? int64_t{-1} : int64_t{0};
    return std::min(at, step < 0 ? length - 1 : length);
  };
  const int64_t start = bound(parts[0], step < 0 ? length - 1 : 0, "the start of a slice");
  const int64_t stop = bound(parts[1], step < 0 ? -1 : length, "the end of a slice");
  std::vector<size_t> positions;
  if (step > 0 && start < stop)
    for (int64_t at = start; at < stop; at += std::min(step, stop - at))
      positions.push_back(static_cast<size_t>(at));
  if (step < 0 && start > stop)
    for (int64_t at = start; at > stop; at += std::max(step, stop - at))
      positions.push_back(static_cast<size_t>(at));
  context.budget.work(positions.size() / 8);
  return positions;
}

/// A slice without step is one piece of the text.
Value slice_text_forward(Context& context, const Text& text, std::span<const Value, 3> parts) {
  const auto length = static_cast<int64_t>(count_code_points(text.bytes()));
  const auto offset = [&](const Value& part, int64_t otherwise, const char* what) {
    int64_t at = part.is(Kind::kNone) ? otherwise : require_int(part, what);
    if (at < 0) at = at < -length ? 0 : at + length;
    return offset_of_code_point(text.bytes(), static_cast<size_t>(std::min(at, length)));
  };
  const size_t begin = offset(parts[0], 0, "the start of a slice");
  const size_t end = offset(parts[1], length, "the end of a slice");
  return context.make_string(text.slice(begin, end));
}

Value slice_text(Context& context, const Text& text, std::span<const Value, 3> parts) {
  context.budget.work(text.size() / 8);
  if (parts[2].is(Kind::kNone)) return slice_text_forward(context, text, parts);
  // Two tables of positions, each with a word for every byte at most.
  const Charge tables(context.budget, text.size() * 16);
  std::vector<size_t> begins;
  for (size_t at = 0; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text.bytes()[at]) & 0xC0) != 0x80) begins.push_back(at);
  begins.push_back(text.size());
  Text out;
  const auto positions = slice_positions(context, parts, begins.size() - 1);
  for (size_t first = 0; first < positions.size();) {
    size_t last = first;
    while (last + 1 < positions.size() && positions[last + 1] == positions[last] + 1) ++last;
    out.append_slice(text, begins[positions[first]], begins[positions[last] + 1]);
    first = last + 1;
  }
  return context.make_string(std::move(out));
}

}  // namespace

Value get_attribute(Context& context, const Value& value, std::string_view name) {
  if (value.is_undefined()) refuse("{} is undefined", value.hint());
  if (name.starts_with("__"))
    refuse_unsupported("attribute '{}' is not safe to use", quotable(name));
  if (value.is(Kind::kLoop)) return loop_attribute(context, value, name);
  if (value.is(Kind::kMacro) && name == "name")
    return Value::constant(value.macro().definition->name);
  if (value.is(Kind::kNamespace)) {
    const auto& attributes = value.ns().attributes;
    const auto found = attributes.find(name);
    return found == attributes.end() ? missing(value, name) : found->second;
  }
  if (const auto method = find_method(context, value, name)) return *method;
  if (value.is(Kind::kDict))
    if (const Value* found = value.dict().find(name)) return *found;
  if (value.is(Kind::kList) && value.list().flavour == ListFlavour::kTuple &&
      value.list().items.size() == 2 && (name == "grouper" || name == "list"))
    return value.list().items[name == "list" ? 1 : 0];  // what groupby makes
  return missing(value, name);
}

Value get_item(Context& context, const Value& value, const Value& key) {
  if (value.is_undefined()) refuse("{} is undefined", value.hint());
  if (value.is(Kind::kDict)) {
    const bool can_be_key = !key.is(Kind::kDict) && !key.is_undefined();
    if (can_be_key)
      if (const Value* found = value.dict().find(key)) return *found;
  }
  if (key.is_integer() && value.is(Kind::kList)) {
    const ListObject& list = value.list();
    const auto at = position(key.as_int(), list.items.size());
    return at && list.flavour <= ListFlavour::kRange ? list.items[*at] : missing(value, "item");
  }
  if (key.is_integer() && value.is_string()) {
    context.budget.scan(value.text().size());
    const auto at = position(key.as_int(), count_code_points(value.str()));
    return at ? character_at(context, value.text(), *at) : missing(value, "character");
  }
  if (!key.is_string()) return missing(value, "item");
  if (value.is(Kind::kDict)) {
    if (const auto method = find_method(context, value, key.str())) return *method;
    return missing(value, key.str());
  }
  return get_attribute(context, value, key.str());
}

Value get_slice(Context& context, const Value& value, std::span<const Value, 3> parts) {
  if (value.is_undefined()) refuse("{} is undefined", value.hint());
  if (value.is_string()) return slice_text(context, value.text(), parts);
  if (!value.is(Kind::kList) || value.list().flavour > ListFlavour::kRange)
    return missing(value, "slice");
  const ListObject& list = value.list();
  Items items;
  for (const size_t at : slice_positions(context, parts, list.items.size()))
    items.push_back(list.items[at]);
  return context.make_list(std::move(items), list.flavour, value.from_user());
}

}  // namespace legato::tokenizer::jinja
