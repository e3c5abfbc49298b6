#include <algorithm>

#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/strftime.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

/// The sandbox of Jinja allows ranges up to this size.
constexpr uint64_t kMaxRange = 100'000;

Value range_function(Context& context, const Arguments& arguments) {
  const BoundArguments bound("range()", arguments, {"start", "stop", "step"}, 1);
  const int64_t step = bound.integer(2, 1);
  if (step == 0) refuse("the step of range() is 0");
  const int64_t start = bound.has(1) ? bound.integer(0, 0) : 0;
  const int64_t stop = bound.has(1) ? bound.integer(1, 0) : bound.integer(0, 0);
  const bool is_empty = step > 0 ? start >= stop : start <= stop;
  // Unsigned, as the distance of two int64 may need 64 bits.
  const uint64_t distance = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                     : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t count = is_empty ? 0 : (distance - 1) / stride + 1;
  if (count > kMaxRange)
    refuse_cost("range() has {} elements, expected at most {}", count, kMaxRange);
  const bool from_user = std::any_of(arguments.positional.begin(), arguments.positional.end(),
                                     [](const Value& value) { return value.from_user(); });
  Items items;
  for (uint64_t i = 0; i < count; ++i)
    items.push_back(Value::integer(
        static_cast<int64_t>(static_cast<uint64_t>(start) + i * static_cast<uint64_t>(step)),
        from_user));
  return context.make_list(std::move(items), ListFlavour::kRange, from_user);
}

std::vector<Entry> dict_entries(Context& context, const Arguments& arguments) {
  std::vector<Entry> entries;
  if (arguments.positional.size() > 1)
    refuse("dict() takes one value, got {}", arguments.positional.size());
  for (const Value& source : arguments.positional) {
    if (source.is(Kind::kDict)) {
      entries = source.dict().entries;
      continue;
    }
    const Value pairs = iterate(context, source);
    for (const Value& pair : pairs.list().items) {
      const Value both = iterate(context, pair);
      if (both.list().items.size() != 2) refuse("dict() needs pairs of key and value");
      entries.emplace_back(both.list().items[0], both.list().items[1]);
    }
  }
  for (const auto& [name, value] : arguments.named)
    entries.emplace_back(context.make_string(name, true), value);
  return entries;
}

Value dict_function(Context& context, const Arguments& arguments) {
  const bool from_user = !arguments.positional.empty() && arguments.positional[0].from_user();
  return context.make_dict(dict_entries(context, arguments), from_user);
}

Value namespace_function(Context& context, const Arguments& arguments) {
  NamespaceObject& made = context.make_namespace();
  for (Entry& entry : dict_entries(context, arguments)) {
    context.budget.hold(64);
    made.attributes.insert_or_assign(require_text(entry.first, "the name of an attribute").bytes(),
                                     std::move(entry.second));
  }
  return Value::pointer(Kind::kNamespace, &made);
}

Value raise_exception_function(Context&, const Arguments& arguments) {
  const BoundArguments bound("raise_exception()", arguments, {"message"}, 1);
  const std::string message =
      bound[0].is_string() ? bound[0].str() : std::string(type_name(bound[0]));
  throw TemplateError{Code::kInvalidArgument, quotable(message, 2000), true};
}

Value strftime_now_function(Context& context, const Arguments& arguments) {
  const BoundArguments bound("strftime_now()", arguments, {"format"}, 1);
  return context.make_string(format_time(context, require_text(bound[0], "format")));
}

constexpr FunctionEntry kFunctions[] = {
    {"dict", dict_function},
    {"namespace", namespace_function},
    {"raise_exception", raise_exception_function},
    {"range", range_function},
    {"strftime_now", strftime_now_function},
};

}  // namespace

const FunctionEntry* find_function(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const FunctionEntry& entry) { return entry.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

}  // namespace legato::tokenizer::jinja
