#include "tokenizer/chat_template/value.h"

#include <cmath>

#include "tokenizer/chat_template/format_value.h"
#include "tokenizer/chat_template/template_error.h"

namespace legato::tokenizer::jinja {

Value Value::undefined(std::string hint) {
  return object(Kind::kUndefined, std::make_shared<const std::string>(std::move(hint)));
}

Value Value::boolean(bool value, bool from_user) {
  Value made(Kind::kBool);
  made.scalar_.integer = value ? 1 : 0;
  made.from_user_ = from_user;
  return made;
}

Value Value::integer(int64_t value, bool from_user) {
  Value made(Kind::kInt);
  made.scalar_.integer = value;
  made.from_user_ = from_user;
  return made;
}

Value Value::big_integer(uint64_t value) {
  Value made(Kind::kBigInt);
  made.scalar_.integer = static_cast<int64_t>(value);
  made.from_user_ = true;
  return made;
}

Value Value::real(double value, bool from_user) {
  Value made(Kind::kFloat);
  made.scalar_.real = value;
  made.from_user_ = from_user;
  return made;
}

Value Value::constant(std::string_view text) {
  return object(Kind::kString, std::make_shared<const Text>(text, true));
}

Value Value::object(Kind kind, std::shared_ptr<const void> object, bool from_user) {
  Value made(kind);
  made.object_ = std::move(object);
  made.from_user_ = from_user;
  return made;
}

Value Value::pointer(Kind kind, const void* target) {
  Value made(kind);
  made.scalar_.pointer = target;
  return made;
}

double Value::as_real() const {
  if (kind_ == Kind::kFloat) return scalar_.real;
  if (kind_ == Kind::kBigInt) return static_cast<double>(as_big());
  return static_cast<double>(scalar_.integer);
}

std::string Value::hint() const {
  return object_ == nullptr ? "a value" : *static_cast<const std::string*>(object_.get());
}

int Value::depth() const {
  switch (kind_) {
    case Kind::kList:
      return list().depth;
    case Kind::kDict:
      return dict().depth;
    case Kind::kMethod:
      return 1 + method().receiver.depth();
    default:
      return 0;
  }
}

bool Value::is_same_object(const Value& other) const {
  if (kind_ != other.kind_) return false;
  if (object_ != nullptr || other.object_ != nullptr) return object_ == other.object_;
  return scalar_.integer == other.scalar_.integer;
}

const Value* DictObject::find(std::string_view key) const {
  if (!index.empty()) {
    // Encoded numbers start with the byte 1; a string that does too is stored with that byte
    // doubled.
    const auto found =
        key.starts_with('\1') ? index.find('\1' + std::string(key)) : index.find(key);
    return found == index.end() ? nullptr : &entries[found->second].second;
  }
  for (const Entry& entry : entries)
    if (entry.first.is_string() && entry.first.str() == key) return &entry.second;
  return nullptr;
}

const Value* DictObject::find(const Value& key) const {
  if (key.is_string()) return find(key.str());
  const std::string encoded = encode_key(key);
  if (!index.empty()) {
    const auto found = index.find(encoded);
    return found == index.end() ? nullptr : &entries[found->second].second;
  }
  for (const Entry& entry : entries)
    if (!entry.first.is_string() && encode_key(entry.first) == encoded) return &entry.second;
  return nullptr;
}

const char* type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return "undefined";
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
    case Kind::kBigInt:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kString:
      return "str";
    case Kind::kDict:
      return "dict";
    case Kind::kNamespace:
      return "namespace";
    case Kind::kLoop:
      return "loop";
    case Kind::kMacro:
      return "macro";
    case Kind::kFunction:
      return "function";
    case Kind::kMethod:
      return "method";
    case Kind::kList:
      break;
  }
  static constexpr const char* kFlavours[] = {"list", "tuple", "range", "dict view", "iterator"};
  return kFlavours[static_cast<size_t>(value.list().flavour)];
}

std::string encode_key(const Value& key) {
  switch (key.kind()) {
    case Kind::kString:
      return key.str().starts_with('\1') ? '\1' + key.str() : key.str();
    case Kind::kNone:
      return "\1N";
    case Kind::kBool:
    case Kind::kInt:
      return fmt::format("\1={}", key.as_int());
    case Kind::kBigInt:
      return fmt::format("\1={}", key.as_big());
    case Kind::kFloat: {
      const double real = key.as_real();
      if (std::trunc(real) == real && std::abs(real) < 9e15)
        return fmt::format("\1={}", static_cast<int64_t>(real));
      return "\1f" + format_float(real);
    }
    case Kind::kList:
      if (key.list().flavour == ListFlavour::kTuple) {
        std::string encoded = "\1(";
        for (const Value& item : key.list().items) {
          const std::string part = encode_key(item);
          if (encoded.size() + part.size() > (1u << 16))
            refuse_cost("uses a tuple as key that is too long");
          encoded += fmt::format("{}:", part.size()) + part;
        }
        return encoded;
      }
      break;
    default:
      break;
  }
  refuse("cannot use a {} as a key", type_name(key));
}

}  // namespace legato::tokenizer::jinja
