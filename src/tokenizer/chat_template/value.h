#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/chat_template/budget.h"
#include "tokenizer/chat_template/text.h"

namespace legato::tokenizer::jinja {

enum class Kind : uint8_t {
  kUndefined,
  kNone,
  kBool,
  kInt,
  kBigInt,  ///< an integer of a request above int64, kept so that it prints as it came
  kFloat,
  kString,
  kList,  ///< any sequence; ListFlavour says which
  kDict,
  kNamespace,
  kLoop,
  kMacro,
  kFunction,
  kMethod,
};

enum class ListFlavour : uint8_t {
  kList,
  kTuple,
  kRange,
  kView,      ///< what dict.items() and the like return
  kIterator,  ///< what map and select return: true even when empty, without length, read once
};

class Value;
struct ListObject;
struct DictObject;
struct NamespaceObject;
struct LoopObject;
struct MacroObject;
struct MethodObject;
struct FunctionEntry;
using Items = std::vector<Value>;
using Entry = std::pair<Value, Value>;

/// One value of the template language: immutable and cheap to copy. Namespaces, loops and macros
/// are owned by the Context, so no cycle of owners can form. `from_user` marks numbers and
/// containers that came with the request; for strings the Text knows it byte by byte.
class Value {
 public:
  Value() = default;
  static Value undefined(std::string hint);
  static Value none() { return Value(Kind::kNone); }
  static Value boolean(bool value, bool from_user = false);
  static Value integer(int64_t value, bool from_user = false);
  static Value big_integer(uint64_t value);
  static Value real(double value, bool from_user = false);
  /// A string that costs no budget: constants of a parsed template.
  static Value constant(std::string_view text);
  static Value object(Kind kind, std::shared_ptr<const void> object, bool from_user = false);
  static Value pointer(Kind kind, const void* target);

  Kind kind() const { return kind_; }
  bool from_user() const { return from_user_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_undefined() const { return kind_ == Kind::kUndefined; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_integer() const { return kind_ == Kind::kInt || kind_ == Kind::kBool; }
  bool is_number() const { return is_integer() || kind_ == Kind::kBigInt || kind_ == Kind::kFloat; }

  bool as_bool() const { return scalar_.integer != 0; }
  /// Of an int or a bool.
  int64_t as_int() const { return scalar_.integer; }
  uint64_t as_big() const { return static_cast<uint64_t>(scalar_.integer); }
  /// Of any number.
  double as_real() const;
  const Text& text() const { return *static_cast<const Text*>(object_.get()); }
  const std::string& str() const { return text().bytes(); }
  const ListObject& list() const { return *static_cast<const ListObject*>(object_.get()); }
  const DictObject& dict() const { return *static_cast<const DictObject*>(object_.get()); }
  const MethodObject& method() const { return *static_cast<const MethodObject*>(object_.get()); }
  NamespaceObject& ns() const {
    return *static_cast<NamespaceObject*>(const_cast<void*>(scalar_.pointer));
  }
  LoopObject& loop() const { return *static_cast<LoopObject*>(const_cast<void*>(scalar_.pointer)); }
  const MacroObject& macro() const { return *static_cast<const MacroObject*>(scalar_.pointer); }
  const FunctionEntry& function() const {
    return *static_cast<const FunctionEntry*>(scalar_.pointer);
  }
  /// What an undefined value was meant to be, for messages.
  std::string hint() const;

  /// Containers below this value, itself included.
  int depth() const;
  bool is_same_object(const Value& other) const;

 private:
  explicit Value(Kind kind) : kind_(kind) {}

  union Scalar {
    int64_t integer;
    double real;
    const void* pointer;
  };

  Kind kind_ = Kind::kUndefined;
  bool from_user_ = false;
  Scalar scalar_{0};
  std::shared_ptr<const void> object_;
};

struct ListObject {
  Items items;
  ListFlavour flavour = ListFlavour::kList;
  int depth = 1;
  mutable bool consumed = false;  ///< of an iterator that has been read
  Charge charge;
};

struct DictObject {
  std::vector<Entry> entries;                        ///< in order of insertion
  std::map<std::string, size_t, std::less<>> index;  ///< by encoded key; empty for small dicts
  int depth = 1;
  Charge charge;

  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
};

/// A method of a string, list or dict, not yet called.
struct MethodObject {
  Value receiver;
  std::string name;
};

/// "'str'", "'list'"...: the Python type, for messages.
const char* type_name(const Value& value);

/// Bytes by which equal keys are equal (1, 1.0 and True are one key). Throws for values that cannot
/// be keys.
std::string encode_key(const Value& key);

}  // namespace legato::tokenizer::jinja
