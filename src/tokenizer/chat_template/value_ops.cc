#include "tokenizer/chat_template/value_ops.h"

#include <cstring>

#include "tokenizer/chat_template/template_error.h"
#include "tokenizer/chat_template/unicode.h"

namespace legato::tokenizer::jinja {
namespace {

/// Exact for every int64 and uint64: long double has 64 bits of mantissa on x86-64.
long double wide(const Value& value) {
  if (value.is(Kind::kFloat)) return value.as_real();
  if (value.is(Kind::kBigInt)) return value.as_big();
  return value.as_int();
}

bool lists_equal(Context& context, const Value& a, const Value& b) {
  const ListObject& left = a.list();
  const ListObject& right = b.list();
  if (left.flavour != right.flavour || left.items.size() != right.items.size()) return false;
  for (size_t i = 0; i < left.items.size(); ++i)
    if (!is_equal(context, left.items[i], right.items[i])) return false;
  return true;
}

bool dicts_equal(Context& context, const DictObject& a, const DictObject& b) {
  if (a.entries.size() != b.entries.size()) return false;
  for (const Entry& entry : a.entries) {
    const Value* other = b.find(entry.first);
    if (other == nullptr || !is_equal(context, entry.second, *other)) return false;
  }
  return true;
}

}  // namespace

bool is_true(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
    case Kind::kInt:
      return value.as_int() != 0;
    case Kind::kFloat:
      return value.as_real() != 0;
    case Kind::kString:
      return !value.text().empty();
    case Kind::kList:
      return value.list().flavour == ListFlavour::kIterator || !value.list().items.empty();
    case Kind::kDict:
      return !value.dict().entries.empty();
    default:
      return true;
  }
}

bool is_equal(Context& context, const Value& a, const Value& b) {
  context.budget.work();
  if (a.is_number() && b.is_number()) return wide(a) == wide(b);
  if (a.kind() != b.kind()) return false;
  if (a.is_same_object(b)) return true;
  switch (a.kind()) {
    case Kind::kUndefined:
    case Kind::kNone:
      return true;
    case Kind::kString:
      if (a.text().size() == b.text().size()) context.budget.scan(a.text().size());
      return a.str() == b.str();
    case Kind::kList:
      return lists_equal(context, a, b);
    case Kind::kDict:
      return dicts_equal(context, a.dict(), b.dict());
    default:
      return false;
  }
}

bool is_less(Context& context, const Value& a, const Value& b) {
  context.budget.work();
  if (a.is_number() && b.is_number()) return wide(a) < wide(b);
  if (a.is_string() && b.is_string()) {
    context.budget.scan(std::min(a.text().size(), b.text().size()));
    return a.str() < b.str();
  }
  if (a.is(Kind::kList) && b.is(Kind::kList) && a.list().flavour == b.list().flavour &&
      a.list().flavour <= ListFlavour::kTuple) {
    const Items& left = a.list().items;
    const Items& right = b.list().items;
    for (size_t i = 0; i < left.size() && i < right.size(); ++i)
      if (!is_equal(context, left[i], right[i])) return is_less(context, left[i], right[i]);
    return left.size() < right.size();
  }
  if (a.is_undefined() || b.is_undefined())
    refuse("{} is undefined", (a.is_undefined() ? a : b).hint());
  refuse("cannot order a {} and a {}", type_name(a), type_name(b));
}

size_t find_bytes(Context& context, std::string_view bytes, std::string_view needle, size_t from) {
  if (from > bytes.size()) return std::string_view::npos;
  if (needle.empty()) return from;
  const void* found =
      memmem(bytes.data() + from, bytes.size() - from, needle.data(), needle.size());
  const size_t at = found == nullptr
                        ? std::string_view::npos
                        : static_cast<size_t>(static_cast<const char*>(found) - bytes.data());
  // Searching costs more than copying: twice the price of a scan.
  context.budget.scan(2 * ((found == nullptr ? bytes.size() : at) - from + needle.size()));
  return at;
}

bool contains(Context& context, const Value& container, const Value& item) {
  switch (container.kind()) {
    case Kind::kUndefined:
      return false;
    case Kind::kString:
      if (!item.is_string()) refuse("cannot look for a {} in a str", type_name(item));
      return find_bytes(context, container.str(), item.str()) != std::string_view::npos;
    case Kind::kDict:
      return container.dict().find(item) != nullptr;
    case Kind::kList:
      for (const Value& element : container.list().items)
        if (is_equal(context, element, item)) return true;
      return false;
    default:
      refuse("cannot look inside a {}", type_name(container));
  }
}

Value iterate(Context& context, const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return context.make_list({});
    case Kind::kList: {
      const ListObject& list = value.list();
      if (list.flavour != ListFlavour::kIterator) return value;
      if (list.consumed) return context.make_list({});
      list.consumed = true;
      return value;
    }
    case Kind::kDict: {
      Items keys;
      for (const Entry& entry : value.dict().entries) keys.push_back(entry.first);
      return context.make_list(std::move(keys), ListFlavour::kList, value.from_user());
    }
    case Kind::kString: {
      Items characters;
      const Text& text = value.text();
      context.budget.work(text.size());
      for (size_t at = 0; at < text.size();) {
        const size_t begin = at;
        next_code_point(text.bytes(), at);
        characters.push_back(context.make_string(text.slice(begin, at)));
      }
      return context.make_list(std::move(characters), ListFlavour::kList, !text.is_all_template());
    }
    default:
      refuse("cannot walk over a {}", type_name(value));
  }
}

Value length_of(const Value& value) {
  const auto sized = [&](size_t size, bool from_user) {
    return Value::integer(static_cast<int64_t>(size), from_user);
  };
  switch (value.kind()) {
    case Kind::kUndefined:
      return Value::integer(0);
    case Kind::kString:
      return sized(count_code_points(value.str()), !value.text().is_all_template());
    case Kind::kDict:
      return sized(value.dict().entries.size(), value.from_user());
    case Kind::kList:
      if (value.list().flavour != ListFlavour::kIterator)
        return sized(value.list().items.size(), value.from_user());
      break;
    default:
      break;
  }
  refuse("a {} has no length", type_name(value));
}

int64_t require_int(const Value& value, const char* what) {
  if (!value.is_integer()) refuse("{} is a {}, expected an int", what, type_name(value));
  return value.as_int();
}

const Text& require_text(const Value& value, const char* what) {
  if (!value.is_string()) refuse("{} is a {}, expected a str", what, type_name(value));
  return value.text();
}

}  // namespace legato::tokenizer::jinja
