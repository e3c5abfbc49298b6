#include "base/checked.h"
#include "engine/file_layout.h"
#include "engine/validate.h"
#include "engine/validate_parts.h"

namespace legato::engine {

std::optional<uint64_t> weight_bytes(const WeightSpec& weight) {
  const bool matrix = weight.layout != WeightLayout::kPlain || is_quantised(weight.dtype);
  if (!matrix) return checked_bytes(weight.shape.dims(), dtype_bytes(weight.dtype));
  if (weight.shape.rank() != 2) return std::nullopt;
  return layout_bytes(weight.layout, weight.dtype, weight.shape[0], weight.shape[1]);
}

/// Weights lie one after the other, each at the next multiple of kWeightAlignment.
Status validate_weights(const ValidateScope& scope) {
  uint64_t expected = 0;
  for (const WeightSpec& weight : scope.spec.weights) {
    const auto bytes = weight_bytes(weight);
    if (!bytes || *bytes != weight.bytes)
      return scope.refuse("weight {} has {} bytes, expected those of {} {} in layout {}",
                          weight.name, weight.bytes, dtype_name(weight.dtype),
                          weight.shape.to_string(), layout_name(weight.layout));
    if (weight.offset != expected ||
        !range_fits(weight.offset, weight.bytes, scope.spec.weights_bytes))
      return scope.refuse("weight {} has {} bytes at {}, expected it at {} within {} bytes",
                          weight.name, weight.bytes, weight.offset, expected,
                          scope.spec.weights_bytes);
    expected = round_up(weight.offset + weight.bytes, kWeightAlignment);
  }
  if (expected != scope.spec.weights_bytes)
    return scope.refuse("weights end at {}, expected {}", expected, scope.spec.weights_bytes);
  return {};
}

}  // namespace legato::engine
