#include <algorithm>

#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/attribute_getter.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

Arguments without_first(const Arguments& arguments, size_t count) {
  Arguments rest;
  rest.positional.assign(arguments.positional.begin() + static_cast<ptrdiff_t>(count),
                         arguments.positional.end());
  rest.named = arguments.named;
  return rest;
}

/// select, reject, selectattr and rejectattr: (attribute,) test name, arguments of the test.
template <bool kByAttribute, bool kKeeps>
Value select_filter(Context& context, const Value& input, const Arguments& arguments) {
  const size_t first = kByAttribute ? 1 : 0;
  if (arguments.positional.size() < first)
    refuse("filter 'selectattr' needs the name of an attribute");
  const AttributeGetter getter(context, kByAttribute ? &arguments.positional[0] : nullptr);
  const TestEntry* test = nullptr;
  Arguments rest;
  if (arguments.positional.size() > first) {
    const std::string& name =
        require_text(arguments.positional[first], "the name of a test").bytes();
    test = find_test(name);
    if (test == nullptr) refuse_unsupported("unknown test '{}'", quotable(name));
    rest = without_first(arguments, first + 1);
  }
  const Value sequence = iterate(context, is_true(input) ? input : Value());
  Items chosen;
  for (const Value& item : sequence.list().items) {
    context.budget.work();
    const Value value = getter.get(context, item);
    const bool holds = test != nullptr ? test->holds(context, value, rest) : is_true(value);
    if (holds == kKeeps) chosen.push_back(item);
  }
  return context.make_list(std::move(chosen), ListFlavour::kIterator, sequence.from_user());
}

const Value* find_named(const Arguments& arguments, std::string_view name) {
  for (const auto& [known, value] : arguments.named)
    if (known == name) return &value;
  return nullptr;
}

Value map_filter(Context& context, const Value& input, const Arguments& arguments) {
  const Value sequence = iterate(context, is_true(input) ? input : Value());
  Items mapped;
  if (const Value* attribute = find_named(arguments, "attribute");
      attribute != nullptr && arguments.positional.empty()) {
    const BoundArguments bound("filter 'map'", arguments, {"attribute", "default"});
    const AttributeGetter getter(context, attribute, bound.has(1) ? &bound[1] : nullptr);
    for (const Value& item : sequence.list().items) mapped.push_back(getter.get(context, item));
  } else {
    if (arguments.positional.empty())
      refuse("filter 'map' needs the name of a filter or attribute=");
    const std::string& name = require_text(arguments.positional[0], "the name of a filter").bytes();
    const FilterEntry* filter = find_filter(name);
    if (filter == nullptr) refuse_unsupported("unknown filter '{}'", quotable(name));
    // map('map', 'map', ...) would recurse once for each argument.
    if (filter->apply == map_filter) refuse_unsupported("filter 'map' cannot map itself");
    const Arguments rest = without_first(arguments, 1);
    for (const Value& item : sequence.list().items) {
      context.budget.work(1 + rest.positional.size());
      mapped.push_back(filter->apply(context, item, rest));
    }
  }
  return context.make_list(std::move(mapped), ListFlavour::kIterator, sequence.from_user());
}

constexpr FilterEntry kFilters[] = {
    {"select", select_filter<false, true>},
    {"reject", select_filter<false, false>},
    {"selectattr", select_filter<true, true>},
    {"rejectattr", select_filter<true, false>},
    {"map", map_filter},
};

}  // namespace

std::span<const FilterEntry> select_filters() { return kFilters; }

const FilterEntry* find_filter(std::string_view name) {
  for (const auto table :
       {string_filters(), list_filters(), select_filters(), order_filters(), number_filters()})
    for (const FilterEntry& entry : table)
      if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace legato::tokenizer::jinja
