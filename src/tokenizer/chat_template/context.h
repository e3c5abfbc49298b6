#pragma once

#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tokenizer/chat_template/budget.h"
#include "tokenizer/chat_template/value.h"

namespace legato::tokenizer::jinja {

struct MacroStatement;

/// Variables of one block; looks outwards through `parent`.
struct Scope {
  std::shared_ptr<Scope> parent;
  std::map<std::string, Value, std::less<>> variables;

  const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent.get())
      if (const auto found = scope->variables.find(name); found != scope->variables.end())
        return &found->second;
    return nullptr;
  }
};

struct NamespaceObject {
  std::map<std::string, Value, std::less<>> attributes;
};

struct LoopObject {
  Value sequence;  ///< the list that is walked; undefined once the loop has ended
  size_t index = 0;
  size_t depth = 1;
  std::optional<Value> last_changed;  ///< argument list of the latest loop.changed()
};

struct MacroObject {
  const MacroStatement* definition;
  std::shared_ptr<Scope> scope;  ///< where it was defined
};

struct Arguments {
  Items positional;
  std::vector<std::pair<std::string, Value>> named;
};

class Context;

/// A global function of the language.
struct FunctionEntry {
  const char* name;
  Value (*call)(Context& context, const Arguments& arguments);
};

/// What one rendering owns: its budget, the objects that values point to, and the clock. One
/// thread.
class Context {
 public:
  Context(const Limits& limits, std::function<std::tm()> clock)
      : budget(limits), now(std::move(clock)) {}

  Value make_string(Text text);
  Value make_string(std::string_view bytes, bool is_template) {
    return make_string(Text(bytes, is_template));
  }
  Value make_list(Items items, ListFlavour flavour = ListFlavour::kList, bool from_user = false);
  /// Later entries replace earlier ones of an equal key, in the place of the earlier one.
  Value make_dict(std::vector<Entry> entries, bool from_user = false);
  Value make_method(Value receiver, std::string name);
  NamespaceObject& make_namespace();
  LoopObject& make_loop();
  Value make_macro(const MacroStatement& definition, std::shared_ptr<Scope> scope);

  Budget budget;  ///< declared first: values release their bytes into it
  std::function<std::tm()> now;
  int line = 0;  ///< of the node being evaluated

 private:
  int depth_above(int depth) const;

  std::deque<NamespaceObject> namespaces_;
  std::deque<LoopObject> loops_;
  std::deque<MacroObject> macros_;
};

}  // namespace legato::tokenizer::jinja
