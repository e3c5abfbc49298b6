#include <cmath>
#include <optional>

#include "base/checked.h"
#include "tokenizer/chat_template/printf_format.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

constexpr const char* kSymbols[] = {"+", "-", "*", "/", "//", "%", "**"};

int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (exponent > 0) {
    if (base == 0 || base == 1) return base;
    if (base == -1) return exponent % 2 == 0 ? result : -result;
    const auto next = checked_mul(result, base);
    if (!next) return std::nullopt;
    result = *next;
    --exponent;
  }
  return result;
}

/// nullopt when the result does not fit. `b` is not zero for divisions, not negative for powers.
std::optional<int64_t> integers(Arithmetic op, int64_t a, int64_t b) {
  switch (op) {
    case Arithmetic::kAdd:
      return checked_add(a, b);
    case Arithmetic::kSubtract: {
      int64_t difference = 0;
      if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
      return difference;
    }
    case Arithmetic::kMultiply:
      return checked_mul(a, b);
    case Arithmetic::kFloorDivide:
      if (b == -1) return integers(Arithmetic::kSubtract, 0, a);
      return floor_divide(a, b);
    case Arithmetic::kModulo:
      if (b == -1) return 0;
      return a - floor_divide(a, b) * b;
    default:
      return power(a, b);
  }
}

double python_modulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  if (rest == 0) rest = std::copysign(0.0, b);
  return rest;
}

double reals(Arithmetic op, double a, double b) {
  switch (op) {
    case Arithmetic::kAdd:
      return a + b;
    case Arithmetic::kSubtract:
      return a - b;
    case Arithmetic::kMultiply:
      return a * b;
    case Arithmetic::kDivide:
      return a / b;
    case Arithmetic::kFloorDivide: {
      const double quotient = (a - python_modulo(a, b)) / b;
      const double whole = std::floor(quotient);
      return quotient - whole > 0.5 ? whole + 1 : whole;
    }
    case Arithmetic::kModulo:
      return python_modulo(a, b);
    default:
      return std::pow(a, b);
  }
}

Value numbers(Arithmetic op, const Value& a, const Value& b) {
  const bool from_user = a.from_user() || b.from_user();
  const bool divides =
      op == Arithmetic::kDivide || op == Arithmetic::kFloorDivide || op == Arithmetic::kModulo;
  if (divides && b.as_real() == 0) refuse("division by zero");
  const bool is_negative_power = op == Arithmetic::kPower && b.is_integer() && b.as_int() < 0;
  if (a.is_integer() && b.is_integer() && op != Arithmetic::kDivide && !is_negative_power) {
    const auto result = integers(op, a.as_int(), b.as_int());
    if (!result)
      refuse_unsupported("{} {} {} is outside of 64-bit integers", a.as_int(),
                         kSymbols[static_cast<int>(op)], b.as_int());
    return Value::integer(*result, from_user);
  }
  if (op == Arithmetic::kPower) {
    if (a.as_real() == 0 && b.as_real() < 0) refuse("division by zero");
    const double result = std::pow(a.as_real(), b.as_real());
    if (std::isnan(result) && a.as_real() < 0)
      refuse_unsupported("complex numbers are not supported");
    if (std::isinf(result) && std::isfinite(a.as_real()) && std::isfinite(b.as_real()))
      refuse("{} ** {} is too large", a.as_real(), b.as_real());
  }
  return Value::real(reals(op, a.as_real(), b.as_real()), from_user);
}

/// Text or list times a number.
Value repeat(Context& context, const Value& value, int64_t times) {
  const auto count = static_cast<uint64_t>(std::max<int64_t>(times, 0));
  if (value.is_string()) {
    const auto size = checked_mul<uint64_t>(value.text().size(), count);
    context.budget.require_string(size.value_or(~uint64_t{0}));
    if (const auto runs = checked_mul<uint64_t>(value.text().runs().size(), count))
      context.budget.work(value.text().empty() ? 0 : *runs);
    Text out;
    for (uint64_t i = 0; i < count && !value.text().empty(); ++i) out.append(value.text());
    return context.make_string(std::move(out));
  }
  const ListObject& list = value.list();
  const auto size = checked_mul<uint64_t>(list.items.size(), count);
  if (!size || *size > context.budget.limits().max_live_bytes / sizeof(Value))
    refuse_cost("builds a list of too many elements");
  context.budget.work(*size);
  Items items;
  for (uint64_t i = 0; i < count && !list.items.empty(); ++i)
    items.insert(items.end(), list.items.begin(), list.items.end());
  return context.make_list(std::move(items), list.flavour, value.from_user());
}

bool is_plain_sequence(const Value& value) {
  return value.is(Kind::kList) && value.list().flavour <= ListFlavour::kTuple;
}

}  // namespace

Value arithmetic(Context& context, Arithmetic op, const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return numbers(op, a, b);
  if (op == Arithmetic::kAdd && a.is_string() && b.is_string()) {
    context.budget.require_string(a.text().size() + b.text().size());
    Text out = a.text();
    out.append(b.text());
    return context.make_string(std::move(out));
  }
  if (op == Arithmetic::kAdd && is_plain_sequence(a) && is_plain_sequence(b) &&
      a.list().flavour == b.list().flavour) {
    context.budget.work(a.list().items.size() + b.list().items.size());
    Items items = a.list().items;
    items.insert(items.end(), b.list().items.begin(), b.list().items.end());
    return context.make_list(std::move(items), a.list().flavour, a.from_user() || b.from_user());
  }
  if (op == Arithmetic::kMultiply) {
    if ((a.is_string() || is_plain_sequence(a)) && b.is_integer())
      return repeat(context, a, b.as_int());
    if ((b.is_string() || is_plain_sequence(b)) && a.is_integer())
      return repeat(context, b, a.as_int());
  }
  if (op == Arithmetic::kModulo && a.is_string())
    return context.make_string(printf_format(context, a.text(), b));
  if (a.is_undefined() || b.is_undefined())
    refuse("{} is undefined", (a.is_undefined() ? a : b).hint());
  refuse("cannot compute {} {} {}", type_name(a), kSymbols[static_cast<int>(op)], type_name(b));
}

Value negate(const Value& value) {
  if (value.is_integer()) {
    const auto result = integers(Arithmetic::kSubtract, 0, value.as_int());
    if (!result) refuse_unsupported("-({}) is outside of 64-bit integers", value.as_int());
    return Value::integer(*result, value.from_user());
  }
  if (value.is(Kind::kFloat)) return Value::real(-value.as_real(), value.from_user());
  if (value.is_undefined()) refuse("{} is undefined", value.hint());
  refuse("cannot negate a {}", type_name(value));
}

}  // namespace legato::tokenizer::jinja
