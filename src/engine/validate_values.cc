#include <algorithm>

#include "base/checked.h"
#include "engine/validate.h"
#include "engine/validate_parts.h"

namespace legato::engine {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 40;
/// Terms of a product of extents: what keeps computing with hostile dimensions cheap.
constexpr size_t kMaxTerms = 16;

/// A dimension may grow, but never shrink, with a symbol: sizes taken at the greatest extents
/// serve all smaller ones. Only the constant term may be negative, and it is written last.
bool is_rising(const std::string& text) {
  const size_t minus = text.find('-');
  return minus == std::string::npos ||
         (minus > 0 && text.find_first_not_of("- 0123456789", minus) == std::string::npos);
}

/// Only matrices of weights are quantised: what is computed has elements with addresses.
Status validate_dtype(const ValidateScope& scope, const ValueSpec& value) {
  if (!is_quantised(value.dtype) || value.storage == Storage::kWeight) return {};
  return scope.refuse("value {} is {}, expected only weights to be quantised", value.name,
                      dtype_name(value.dtype));
}

Status validate_extents(const ValidateScope& scope, const ValueSpec& value) {
  size_t terms = 1;
  for (const Dim& dim : value.shape.dims) {
    if (dim.is_constant()) continue;
    const std::string text = dim.to_string();
    terms *= dim.complexity().terms;
    if (terms > kMaxTerms || !is_rising(text))
      return scope.refuse(
          "value {} has extent {}, expected a short sum that grows with its symbols", value.name,
          text);
  }
  for (const DimBindings* bindings : {&scope.least, &scope.greatest}) {
    const auto shape = value.shape.evaluate(*bindings);
    if (!shape.ok())
      return scope.refuse("value {}: {}, expected extents within the profile", value.name,
                          shape.status().message);
    const auto elements = checked_bytes(shape->dims(), 1);
    if (!elements || *elements > static_cast<uint64_t>(kMaxElements))
      return scope.refuse("value {} has shape {}, expected at most {} elements", value.name,
                          shape->to_string(), kMaxElements);
  }
  return {};
}

/// A value shares the storage of the graph's input or output when both have as many bytes.
Status validate_port(const ValidateScope& scope, const ValueSpec& value,
                     const std::vector<int32_t>& ports, const char* kind) {
  if (static_cast<size_t>(value.index) >= ports.size())
    return scope.refuse("value {} is {} {} of {}", value.name, kind, value.index, ports.size());
  const ValueSpec& port =
      scope.spec.values[static_cast<size_t>(ports[static_cast<size_t>(value.index)])];
  if (port.dtype != value.dtype || port.shape.elements() != value.shape.elements())
    return scope.refuse("value {} is {} {}, expected the size of its {} {} {}", value.name,
                        dtype_name(value.dtype), value.shape.to_string(), kind,
                        dtype_name(port.dtype), port.shape.to_string());
  return {};
}

Status validate_weight_value(const ValidateScope& scope, const ValueSpec& value) {
  if (static_cast<size_t>(value.index) >= scope.spec.weights.size())
    return scope.refuse("value {} is weight {} of {}", value.name, value.index,
                        scope.spec.weights.size());
  const WeightSpec& weight = scope.spec.weights[static_cast<size_t>(value.index)];
  if (weight.dtype != value.dtype || SymShape(weight.shape) != value.shape)
    return scope.refuse("value {} is {} {}, expected its weight's {} {}", value.name,
                        dtype_name(value.dtype), value.shape.to_string(), dtype_name(weight.dtype),
                        weight.shape.to_string());
  return {};
}

Status validate_slot_value(const ValidateScope& scope, const ValueSpec& value) {
  if (static_cast<size_t>(value.index) >= scope.spec.slots.size())
    return scope.refuse("value {} lies in slot {} of {}", value.name, value.index,
                        scope.spec.slots.size());
  const auto& sizes = scope.spec.slots[static_cast<size_t>(value.index)].bytes;
  const Dim bytes = value_bytes(value.dtype, value.shape);
  if (std::none_of(sizes.begin(), sizes.end(),
                   [&bytes](const Dim& size) { return always_fits(bytes, size); }))
    return scope.refuse("value {} takes {} bytes, expected no more than its slot {} has",
                        value.name, bytes.to_string(), value.index);
  return {};
}

Status validate_storage(const ValidateScope& scope, const ValueSpec& value) {
  if (value.index < 0)
    return scope.refuse("value {} has storage index {}, expected none below 0", value.name,
                        value.index);
  switch (value.storage) {
    case Storage::kInput:
      return validate_port(scope, value, scope.spec.inputs, "input");
    case Storage::kOutput:
      return validate_port(scope, value, scope.spec.outputs, "output");
    case Storage::kWeight:
      return validate_weight_value(scope, value);
    case Storage::kSlot:
      return validate_slot_value(scope, value);
  }
  return {};
}

/// Input i of the graph is a value with storage kInput and index i; outputs alike.
Status validate_ports(const ValidateScope& scope, const std::vector<int32_t>& ports,
                      Storage storage, const char* kind) {
  const auto& values = scope.spec.values;
  for (size_t i = 0; i < ports.size(); ++i) {
    const int32_t id = ports[i];
    if (id < 0 || static_cast<size_t>(id) >= values.size())
      return scope.refuse("{} {} is value {} of {}", kind, i, id, values.size());
    const ValueSpec& value = values[static_cast<size_t>(id)];
    if (value.storage != storage || value.index != static_cast<int64_t>(i))
      return scope.refuse("{} {} is value {}, expected one that is stored as this {}", kind, i,
                          value.name, kind);
  }
  return {};
}

}  // namespace

Status validate_values(const ValidateScope& scope) {
  if (scope.spec.values.size() > kMaxValues)
    return scope.refuse("has {} values, expected at most {}", scope.spec.values.size(), kMaxValues);
  for (const SlotSpec& slot : scope.spec.slots) {
    if (slot.bytes.empty() || slot.bytes.size() > kMaxSlotSizes)
      return scope.refuse("a slot lists {} sizes, expected 1 to {}", slot.bytes.size(),
                          kMaxSlotSizes);
    for (const Dim& bytes : slot.bytes) {
      const auto greatest = bytes.evaluate(scope.greatest);
      if (!greatest.ok() || *greatest < 0 || *greatest / 8 > kMaxElements)
        return scope.refuse("a slot has {} bytes, expected a size within the profile",
                            bytes.to_string());
    }
  }
  for (const ValueSpec& value : scope.spec.values)
    LEGATO_RETURN_IF_ERROR(validate_dtype(scope, value));
  LEGATO_RETURN_IF_ERROR(validate_ports(scope, scope.spec.inputs, Storage::kInput, "input"));
  LEGATO_RETURN_IF_ERROR(validate_ports(scope, scope.spec.outputs, Storage::kOutput, "output"));
  for (const ValueSpec& value : scope.spec.values)
    LEGATO_RETURN_IF_ERROR(validate_extents(scope, value));
  for (const ValueSpec& value : scope.spec.values)
    LEGATO_RETURN_IF_ERROR(validate_storage(scope, value));
  return {};
}

}  // namespace legato::engine
