#include "tensor/attributes.h"

namespace legato {
namespace {

template <typename T>
T value_or(const Attribute* attribute, T otherwise) {
  const T* value = attribute == nullptr ? nullptr : std::get_if<T>(attribute);
  return value == nullptr ? otherwise : *value;
}

}  // namespace

void Attributes::erase(std::string_view name) {
  if (const auto it = values_.find(name); it != values_.end()) values_.erase(it);
}

const Attribute* Attributes::find(std::string_view name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? nullptr : &it->second;
}

int64_t Attributes::get_int(std::string_view name, int64_t otherwise) const {
  return value_or<int64_t>(find(name), otherwise);
}

double Attributes::get_float(std::string_view name, double otherwise) const {
  const Attribute* attribute = find(name);
  if (attribute != nullptr && std::holds_alternative<int64_t>(*attribute))
    return static_cast<double>(std::get<int64_t>(*attribute));
  return value_or<double>(attribute, otherwise);
}

std::string Attributes::get_string(std::string_view name, std::string_view otherwise) const {
  return value_or<std::string>(find(name), std::string(otherwise));
}

std::vector<int64_t> Attributes::get_ints(std::string_view name) const {
  return value_or<std::vector<int64_t>>(find(name), {});
}

std::vector<double> Attributes::get_floats(std::string_view name) const {
  return value_or<std::vector<double>>(find(name), {});
}

}  // namespace legato
