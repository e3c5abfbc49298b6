#include <algorithm>
#include <set>

#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/attribute_getter.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/text_ops.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

struct Keyed {
  Value key;
  Value item;
};

void sort_by_key(Context& context, std::vector<Keyed>& keyed, bool reverse) {
  // As Python: stable in both directions.
  std::stable_sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    return reverse ? is_less(context, b.key, a.key) : is_less(context, a.key, b.key);
  });
}

Value items_of(Context& context, std::vector<Keyed>& keyed, bool from_user) {
  Items items;
  for (Keyed& entry : keyed) items.push_back(std::move(entry.item));
  return context.make_list(std::move(items), ListFlavour::kList, from_user);
}

Value sort_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'sort'", arguments,
                             {"reverse", "case_sensitive", "attribute"});
  const bool ignore_case = !bound.flag(1, false);
  std::vector<AttributeGetter> getters;
  if (bound.has(2) && bound[2].is_string()) {
    for (Text& part : split(context, bound[2].text(), Text(",", true), -1)) {
      const Value attribute = context.make_string(std::move(part));
      getters.emplace_back(context, &attribute, nullptr, ignore_case);
    }
  } else {
    getters.emplace_back(context, bound.has(2) ? &bound[2] : nullptr, nullptr, ignore_case);
  }
  const Value sequence = iterate(context, input);
  std::vector<Keyed> keyed;
  for (const Value& item : sequence.list().items) {
    Items keys;
    for (const AttributeGetter& getter : getters) keys.push_back(getter.get(context, item));
    keyed.push_back({keys.size() == 1 ? keys[0] : context.make_list(std::move(keys)), item});
  }
  sort_by_key(context, keyed, bound.flag(0, false));
  return items_of(context, keyed, sequence.from_user());
}

Value dictsort_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'dictsort'", arguments, {"case_sensitive", "by", "reverse"});
  if (!input.is(Kind::kDict)) refuse("filter 'dictsort' needs a dict, got a {}", type_name(input));
  const std::string by = bound.text(1, "key").bytes();
  if (by != "key" && by != "value")
    refuse("filter 'dictsort' got by='{}', expected key or value", quotable(by));
  const Value position = Value::integer(by == "key" ? 0 : 1);
  const AttributeGetter getter(context, &position, nullptr, !bound.flag(0, false));
  std::vector<Keyed> keyed;
  for (const Entry& entry : input.dict().entries) {
    const Value pair =
        context.make_list({entry.first, entry.second}, ListFlavour::kTuple, input.from_user());
    keyed.push_back({getter.get(context, pair), pair});
  }
  sort_by_key(context, keyed, bound.flag(2, false));
  return items_of(context, keyed, input.from_user());
}

Value unique_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'unique'", arguments, {"case_sensitive", "attribute"});
  const AttributeGetter getter(context, bound.has(1) ? &bound[1] : nullptr, nullptr,
                               !bound.flag(0, false));
  const Value sequence = iterate(context, input);
  std::set<std::string> seen;
  Charge charge(context.budget, 0);
  Items items;
  for (const Value& item : sequence.list().items) {
    std::string key = encode_key(getter.get(context, item));
    charge.grow(64 + key.size());
    if (seen.insert(std::move(key)).second) items.push_back(item);
  }
  return context.make_list(std::move(items), ListFlavour::kIterator, sequence.from_user());
}

template <bool kGreatest>
Value extreme_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'min' or 'max'", arguments, {"case_sensitive", "attribute"});
  const AttributeGetter getter(context, bound.has(1) ? &bound[1] : nullptr, nullptr,
                               !bound.flag(0, false));
  const Value sequence = iterate(context, input);
  const Items& items = sequence.list().items;
  if (items.empty()) return Value::undefined("the extreme of an empty sequence");
  Keyed best{getter.get(context, items[0]), items[0]};
  for (size_t i = 1; i < items.size(); ++i) {
    Keyed next{getter.get(context, items[i]), items[i]};
    if (kGreatest ? is_less(context, best.key, next.key) : is_less(context, next.key, best.key))
      best = std::move(next);
  }
  return best.item;
}

Value groupby_filter(Context& context, const Value& input, const Arguments& arguments) {
  const BoundArguments bound("filter 'groupby'", arguments,
                             {"attribute", "default", "case_sensitive"}, 1);
  const bool ignore_case = !bound.flag(2, false);
  const Value* otherwise = bound.has(1) ? &bound[1] : nullptr;
  const AttributeGetter sort_key(context, &bound[0], otherwise, ignore_case);
  const AttributeGetter plain_key(context, &bound[0], otherwise, false);
  const Value sequence = iterate(context, input);
  std::vector<Keyed> keyed;
  for (const Value& item : sequence.list().items)
    keyed.push_back({sort_key.get(context, item), item});
  sort_by_key(context, keyed, false);
  Items groups;
  for (size_t begin = 0; begin < keyed.size();) {
    Items members;
    size_t end = begin;
    while (end < keyed.size() && is_equal(context, keyed[begin].key, keyed[end].key))
      members.push_back(keyed[end++].item);
    const Value name = plain_key.get(context, keyed[begin].item);
    Value list = context.make_list(std::move(members), ListFlavour::kList, sequence.from_user());
    groups.push_back(
        context.make_list({name, std::move(list)}, ListFlavour::kTuple, sequence.from_user()));
    begin = std::max(end, begin + 1);
  }
  return context.make_list(std::move(groups), ListFlavour::kList, sequence.from_user());
}

constexpr FilterEntry kFilters[] = {
    {"sort", sort_filter},          {"dictsort", dictsort_filter}, {"unique", unique_filter},
    {"min", extreme_filter<false>}, {"max", extreme_filter<true>}, {"groupby", groupby_filter},
};

}  // namespace

std::span<const FilterEntry> order_filters() { return kFilters; }

}  // namespace legato::tokenizer::jinja
