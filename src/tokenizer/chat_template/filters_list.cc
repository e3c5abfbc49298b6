#include "base/checked.h"
#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/attribute_getter.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

Value length_filter(Context&, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'length'", arguments, {});
  return length_of(input);
}

Value default_filter(Context&, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'default'", arguments, {"default_value", "boolean"});
  const bool is_missing = input.is_undefined() || (bound.flag(1, false) && !is_true(input));
  if (!is_missing) return input;
  return bound.has(0) ? bound[0] : Value::constant("");
}

Value first_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'first'", arguments, {});
  const Value sequence = iterate(context, input);
  const Items& items = sequence.list().items;
  return items.empty() ? Value::undefined("the first item of an empty sequence") : items.front();
}

Value last_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'last'", arguments, {});
  if (input.is(Kind::kList) && input.list().flavour == ListFlavour::kIterator)
    refuse("filter 'last' cannot read an iterator from its end");
  const Value sequence = iterate(context, input);
  const Items& items = sequence.list().items;
  return items.empty() ? Value::undefined("the last item of an empty sequence") : items.back();
}

Value list_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'list'", arguments, {});
  const Value sequence = iterate(context, input);
  return context.make_list(sequence.list().items, ListFlavour::kList, sequence.from_user());
}

Value join_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'join'", arguments, {"d", "attribute"});
  Text separator;
  if (bound.has(0)) append_str(context, bound[0], separator);
  const AttributeGetter getter(context, bound.has(1) ? &bound[1] : nullptr);
  const Value sequence = iterate(context, input);
  Text out;
  bool first = true;
  for (const Value& item : sequence.list().items) {
    context.budget.work(1 + separator.size() / 32);
    context.budget.require_string(out.size() + separator.size());
    if (!first) out.append(separator);
    first = false;
    append_str(context, getter.get(context, item), out);
  }
  return context.make_string(std::move(out));
}

Value reverse_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'reverse'", arguments, {});
  if (input.is_string()) {
    const Value parts[3] = {Value::none(), Value::none(), Value::integer(-1)};
    return get_slice(context, input, parts);
  }
  const Value sequence = iterate(context, input);
  const Items& items = sequence.list().items;
  return context.make_list(Items(items.rbegin(), items.rend()), ListFlavour::kIterator,
                           sequence.from_user());
}

Value items_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'items'", arguments, {});
  if (!input.is(Kind::kDict) && !input.is_undefined())
    refuse("filter 'items' needs a dict, got a {}", type_name(input));
  Items items;
  if (input.is(Kind::kDict))
    for (const Entry& entry : input.dict().entries)
      items.push_back(
          context.make_list({entry.first, entry.second}, ListFlavour::kTuple, input.from_user()));
  return context.make_list(std::move(items), ListFlavour::kIterator, input.from_user());
}

/// Checks a number of rows or columns, which also bounds the padding.
int64_t positive(const Value& value, const char* what) {
  const int64_t count = require_int(value, what);
  if (count < 1 || count > 100'000) refuse("{} is {}, expected 1 to 100000", what, count);
  return count;
}

Value batch_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'batch'", arguments, {"linecount", "fill_with"}, 1);
  const auto size = static_cast<size_t>(positive(bound[0], "linecount"));
  const bool fills = bound.has(1) && !bound[1].is(Kind::kNone);
  const Value sequence = iterate(context, input);
  const Items& items = sequence.list().items;
  Items batches;
  for (size_t begin = 0; begin < items.size(); begin += size) {
    const size_t end = std::min(begin + size, items.size());
    Items batch(items.begin() + static_cast<ptrdiff_t>(begin),
                items.begin() + static_cast<ptrdiff_t>(end));
    if (fills) batch.resize(size, bound[1]);
    batches.push_back(
        context.make_list(std::move(batch), ListFlavour::kList, sequence.from_user()));
  }
  return context.make_list(std::move(batches), ListFlavour::kIterator, sequence.from_user());
}

Value slice_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'slice'", arguments, {"slices", "fill_with"}, 1);
  const auto count = static_cast<size_t>(positive(bound[0], "slices"));
  const bool fills = bound.has(1) && !bound[1].is(Kind::kNone);
  const Value sequence = iterate(context, input);
  const Items& items = sequence.list().items;
  const size_t size = items.size() / count;
  const size_t longer = items.size() % count;
  Items slices;
  size_t begin = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t end = begin + size + (i < longer ? 1 : 0);
    Items slice(items.begin() + static_cast<ptrdiff_t>(begin),
                items.begin() + static_cast<ptrdiff_t>(end));
    begin = end;
    if (fills && i >= longer) slice.push_back(bound[1]);
    slices.push_back(context.make_list(std::move(slice), ListFlavour::kList, sequence.from_user()));
  }
  return context.make_list(std::move(slices), ListFlavour::kIterator, sequence.from_user());
}

constexpr FilterEntry kFilters[] = {
    {"length", length_filter}, {"count", length_filter}, {"default", default_filter},
    {"d", default_filter},     {"first", first_filter},  {"last", last_filter},
    {"list", list_filter},     {"join", join_filter},    {"reverse", reverse_filter},
    {"items", items_filter},   {"batch", batch_filter},  {"slice", slice_filter},
};

}  // namespace

std::span<const FilterEntry> list_filters() { return kFilters; }

}  // namespace legato::tokenizer::jinja
