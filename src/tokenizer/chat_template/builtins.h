#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

struct FilterEntry {
  std::string_view name;
  Value (*apply)(Context& context, const Value& input, const Arguments& arguments);
};

struct TestEntry {
  std::string_view name;
  bool (*holds)(Context& context, const Value& input, const Arguments& arguments);
};

/// nullptr when there is none of that name.
const FilterEntry* find_filter(std::string_view name);
const TestEntry* find_test(std::string_view name);

/// The global functions (range, namespace, dict, raise_exception, strftime_now, joiner...), or
/// nullptr.
const FunctionEntry* find_function(std::string_view name);

/// value.name as templates may use it: dict entries, namespace and loop attributes, methods. Never
/// walks objects.
Value get_attribute(Context& context, const Value& value, std::string_view name);
/// value[key].
Value get_item(Context& context, const Value& value, const Value& key);
/// value[start:stop:step]; absent parts are none.
Value get_slice(Context& context, const Value& value, std::span<const Value, 3> parts);

/// Calls a method that get_attribute found.
Value call_method(Context& context, const MethodObject& method, const Arguments& arguments);
Value call_string_method(Context& context, const MethodObject& method, const Arguments& arguments);
Value call_container_method(Context& context, const MethodObject& method,
                            const Arguments& arguments);
/// loop.cycle and loop.changed.
Value call_loop_method(Context& context, const MethodObject& method, const Arguments& arguments);

bool is_string_method(std::string_view name);

// One table a file; find_filter searches them all.
std::span<const FilterEntry> string_filters();
std::span<const FilterEntry> list_filters();
std::span<const FilterEntry> select_filters();
std::span<const FilterEntry> order_filters();
std::span<const FilterEntry> number_filters();

}  // namespace legato::tokenizer::jinja
