#include "tokenizer/chat_template/arguments.h"
#include "tokenizer/chat_template/builtins.h"
#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

Value dict_method(Context& context, const Value& dict, const std::string& name,
                  const Arguments& arguments) {
  if (name == "get") {
    if (!arguments.named.empty()) refuse("get() takes no named arguments");
    const BoundArguments bound("get()", arguments, {"key", "default"}, 1);
    if (const Value* found = dict.dict().find(bound[0])) return *found;
    return bound.has(1) ? bound[1] : Value::none();
  }
  const BoundArguments bound("a method of dict", arguments, {});
  Items items;
  context.budget.work(dict.dict().entries.size());
  for (const Entry& entry : dict.dict().entries) {
    if (name == "keys") items.push_back(entry.first);
    if (name == "values") items.push_back(entry.second);
    if (name == "items")
      items.push_back(
          context.make_list({entry.first, entry.second}, ListFlavour::kTuple, dict.from_user()));
  }
  return context.make_list(std::move(items), ListFlavour::kView, dict.from_user());
}

Value list_method(Context& context, const Value& list, const std::string& name,
                  const Arguments& arguments) {
  const BoundArguments bound("a method of list", arguments, {"value"}, 1);
  const Items& items = list.list().items;
  int64_t count = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!is_equal(context, items[i], bound[0])) continue;
    if (name == "index") return Value::integer(static_cast<int64_t>(i), list.from_user());
    ++count;
  }
  if (name == "index") refuse("index() does not find the value");
  return Value::integer(count, list.from_user());
}

}  // namespace

Value call_container_method(Context& context, const MethodObject& method,
                            const Arguments& arguments) {
  return method.receiver.is(Kind::kDict)
             ? dict_method(context, method.receiver, method.name, arguments)
             : list_method(context, method.receiver, method.name, arguments);
}

Value call_loop_method(Context& context, const MethodObject& method, const Arguments& arguments) {
  LoopObject& loop = method.receiver.loop();
  if (method.name == "cycle") {
    if (arguments.positional.empty()) refuse("loop.cycle() needs a value");
    return arguments.positional[loop.index % arguments.positional.size()];
  }
  const Value now = context.make_list(arguments.positional, ListFlavour::kTuple);
  const bool is_new = !loop.last_changed || !is_equal(context, *loop.last_changed, now);
  loop.last_changed = now;
  return Value::boolean(is_new);
}

Value call_method(Context& context, const MethodObject& method, const Arguments& arguments) {
  if (method.receiver.is_string()) return call_string_method(context, method, arguments);
  if (method.receiver.is(Kind::kLoop)) return call_loop_method(context, method, arguments);
  return call_container_method(context, method, arguments);
}

}  // namespace legato::tokenizer::jinja
