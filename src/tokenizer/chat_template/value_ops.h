#pragma once

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

enum class Arithmetic { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };

bool is_true(const Value& value);
/// As Python's ==. Charges what it visits.
bool is_equal(Context& context, const Value& a, const Value& b);
/// As Python's <; throws for values without an order.
bool is_less(Context& context, const Value& a, const Value& b);
/// `item in container`.
bool contains(Context& context, const Value& container, const Value& item);

Value arithmetic(Context& context, Arithmetic op, const Value& a, const Value& b);
Value negate(const Value& value);

/// The elements of a list, the keys of a dict, the characters of a string, as a list; undefined is
/// empty.
Value iterate(Context& context, const Value& value);
/// len(value).
Value length_of(const Value& value);
/// A number that must be an integer, for the argument `what`.
int64_t require_int(const Value& value, const char* what);
/// A string, for the argument `what`.
const Text& require_text(const Value& value, const char* what);

/// Position of `needle` at or after `from`, or npos: linear in time, charged.
size_t find_bytes(Context& context, std::string_view bytes, std::string_view needle,
                  size_t from = 0);

}  // namespace legato::tokenizer::jinja
