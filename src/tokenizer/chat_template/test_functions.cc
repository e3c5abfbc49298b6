#include <algorithm>
#include <iterator>

#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/text_ops.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

using Holds = bool (*)(Context&, const Value&, const Arguments&);

void require_none(const Arguments& arguments) {
  const BoundArguments bound("a test", arguments, {});
}

const Value& only(const Arguments& arguments) {
  if (arguments.positional.size() != 1 || !arguments.named.empty())
    refuse("a test that compares needs one value, got {}",
           arguments.positional.size() + arguments.named.size());
  return arguments.positional[0];
}

template <bool (*kHolds)(const Value&)>
bool plain(Context&, const Value& value, const Arguments& arguments) {
  require_none(arguments);
  return kHolds(value);
}

bool is_defined(const Value& value) { return !value.is_undefined(); }
bool is_undefined(const Value& value) { return value.is_undefined(); }
bool is_none(const Value& value) { return value.is(Kind::kNone); }
bool is_boolean(const Value& value) { return value.is(Kind::kBool); }
bool is_true_value(const Value& value) { return value.is(Kind::kBool) && value.as_bool(); }
bool is_false_value(const Value& value) { return value.is(Kind::kBool) && !value.as_bool(); }
bool is_integer(const Value& value) { return value.is(Kind::kInt) || value.is(Kind::kBigInt); }
bool is_float(const Value& value) { return value.is(Kind::kFloat); }
bool is_number(const Value& value) { return value.is_number(); }
bool is_string(const Value& value) { return value.is_string(); }
bool is_mapping(const Value& value) { return value.is(Kind::kDict); }
bool is_iterable(const Value& value) {
  return value.is_string() || value.is(Kind::kList) || value.is(Kind::kDict) ||
         value.is_undefined() || value.is(Kind::kLoop);
}
bool is_sequence(const Value& value) {
  if (value.is(Kind::kList)) return value.list().flavour <= ListFlavour::kRange;
  return value.is_string() || value.is(Kind::kDict) || value.is_undefined();
}
bool is_callable(const Value& value) {
  return value.is(Kind::kFunction) || value.is(Kind::kMacro) || value.is(Kind::kMethod) ||
         value.is_undefined();
}

template <int kRest>
bool has_parity(Context& context, const Value& value, const Arguments& arguments) {
  require_none(arguments);
  return is_equal(context, arithmetic(context, Arithmetic::kModulo, value, Value::integer(2)),
                  Value::integer(kRest));
}

bool divisible_by(Context& context, const Value& value, const Arguments& arguments) {
  return is_equal(context, arithmetic(context, Arithmetic::kModulo, value, only(arguments)),
                  Value::integer(0));
}

bool equal(Context& context, const Value& value, const Arguments& arguments) {
  return is_equal(context, value, only(arguments));
}
bool not_equal(Context& context, const Value& value, const Arguments& arguments) {
  return !is_equal(context, value, only(arguments));
}
bool less(Context& context, const Value& value, const Arguments& arguments) {
  return is_less(context, value, only(arguments));
}
bool less_equal(Context& context, const Value& value, const Arguments& arguments) {
  return less(context, value, arguments) || equal(context, value, arguments);
}
bool greater(Context& context, const Value& value, const Arguments& arguments) {
  return is_less(context, only(arguments), value);
}
bool greater_equal(Context& context, const Value& value, const Arguments& arguments) {
  return greater(context, value, arguments) || equal(context, value, arguments);
}
bool is_in(Context& context, const Value& value, const Arguments& arguments) {
  return contains(context, only(arguments), value);
}

/// Identity as Python shows it: small scalars of one kind that are equal, or the same object.
bool same_as(Context& context, const Value& value, const Arguments& arguments) {
  const Value& other = only(arguments);
  if (value.kind() != other.kind()) return false;
  if (value.is_number() || value.is(Kind::kNone)) return is_equal(context, value, other);
  if (value.is_string()) return value.str() == other.str();
  return value.is_same_object(other);
}

template <bool kUpper>
bool in_case(Context& context, const Value& value, const Arguments& arguments) {
  require_none(arguments);
  const Value text = to_string_value(context, value);
  context.budget.work(text.text().size() / 8);
  return has_only_case(text.text(), kUpper);
}

bool names_filter(Context&, const Value& value, const Arguments& arguments) {
  require_none(arguments);
  return value.is_string() && find_filter(value.str()) != nullptr;
}

bool names_test(Context&, const Value& value, const Arguments& arguments) {
  require_none(arguments);
  return value.is_string() && find_test(value.str()) != nullptr;
}

constexpr TestEntry kTests[] = {
    {"defined", plain<is_defined>},
    {"undefined", plain<is_undefined>},
    {"none", plain<is_none>},
    {"boolean", plain<is_boolean>},
    {"true", plain<is_true_value>},
    {"false", plain<is_false_value>},
    {"integer", plain<is_integer>},
    {"float", plain<is_float>},
    {"number", plain<is_number>},
    {"string", plain<is_string>},
    {"mapping", plain<is_mapping>},
    {"iterable", plain<is_iterable>},
    {"sequence", plain<is_sequence>},
    {"callable", plain<is_callable>},
    {"even", has_parity<0>},
    {"odd", has_parity<1>},
    {"divisibleby", divisible_by},
    {"equalto", equal},
    {"eq", equal},
    {"==", equal},
    {"ne", not_equal},
    {"!=", not_equal},
    {"lt", less},
    {"lessthan", less},
    {"<", less},
    {"le", less_equal},
    {"<=", less_equal},
    {"gt", greater},
    {"greaterthan", greater},
    {">", greater},
    {"ge", greater_equal},
    {">=", greater_equal},
    {"in", is_in},
    {"sameas", same_as},
    {"upper", in_case<true>},
    {"lower", in_case<false>},
    {"filter", names_filter},
    {"test", names_test},
};

}  // namespace

const TestEntry* find_test(std::string_view name) {
  const auto* found = std::find_if(std::begin(kTests), std::end(kTests),
                                   [&](const TestEntry& e) { return e.name == name; });
  return found == std::end(kTests) ? nullptr : found;
}

}  // namespace legato::tokenizer::jinja
