#include "tokenizer/chat_template/context.h"

#include <algorithm>

#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {
namespace {

struct StringObject {
  Text text;
  Charge charge;
};

/// Dicts up to this size are searched one by one.
constexpr size_t kSmallDict = 8;

constexpr size_t kNodeBytes = 160;

}  // namespace

int Context::depth_above(int depth) const {
  if (depth >= budget.limits().max_value_depth)
    refuse_cost("nests values deeper than {}", budget.limits().max_value_depth);
  return depth + 1;
}

Value Context::make_string(Text text) {
  budget.require_string(text.size());
  auto made = std::make_shared<StringObject>();
  made->charge = Charge(budget, text.held_bytes());
  made->text = std::move(text);
  const Text* inside = &made->text;
  return Value::object(Kind::kString, std::shared_ptr<const void>(std::move(made), inside));
}

Value Context::make_list(Items items, ListFlavour flavour, bool from_user) {
  auto made = std::make_shared<ListObject>();
  budget.work(items.size() / 4);
  made->charge = Charge(budget, sizeof(ListObject) + items.size() * sizeof(Value));
  int depth = 0;
  for (const Value& item : items) depth = std::max(depth, item.depth());
  made->depth = depth_above(depth);
  made->items = std::move(items);
  made->flavour = flavour;
  return Value::object(Kind::kList, std::move(made), from_user);
}

Value Context::make_dict(std::vector<Entry> entries, bool from_user) {
  auto made = std::make_shared<DictObject>();
  budget.work(entries.size());
  made->charge = Charge(budget, sizeof(DictObject) + entries.size() * sizeof(Entry));
  std::map<std::string, size_t, std::less<>> index;
  int depth = 0;
  for (Entry& entry : entries) {
    std::string key = encode_key(entry.first);
    depth = std::max({depth, entry.first.depth(), entry.second.depth()});
    made->charge.grow(64 + key.size());
    const auto [at, is_new] = index.try_emplace(std::move(key), made->entries.size());
    if (is_new) {
      made->entries.push_back(std::move(entry));
    } else {
      made->entries[at->second].second = std::move(entry.second);
    }
  }
  made->depth = depth_above(depth);
  if (made->entries.size() > kSmallDict) made->index = std::move(index);
  return Value::object(Kind::kDict, std::move(made), from_user);
}

Value Context::make_method(Value receiver, std::string name) {
  budget.work(2);
  auto made = std::make_shared<MethodObject>();
  made->receiver = std::move(receiver);
  made->name = std::move(name);
  return Value::object(Kind::kMethod, std::move(made));
}

NamespaceObject& Context::make_namespace() {
  budget.hold(kNodeBytes);
  return namespaces_.emplace_back();
}

LoopObject& Context::make_loop() {
  budget.hold(kNodeBytes);
  return loops_.emplace_back();
}

Value Context::make_macro(const MacroStatement& definition, std::shared_ptr<Scope> scope) {
  budget.hold(kNodeBytes);
  macros_.push_back({&definition, std::move(scope)});
  return Value::pointer(Kind::kMacro, &macros_.back());
}

}  // namespace legato::tokenizer::jinja
