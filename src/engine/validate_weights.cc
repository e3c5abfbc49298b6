#include "base/checked.h"
#include "engine/file_layout.h"
#include "engine/validate.h"
#include "engine/validate_parts.h"

namespace legato::engine {

std::optional<uint64_t> weight_bytes(const WeightSpec& weight) {
  Shape stored = weight.shape;
  if (weight.layout == WeightLayout::kRows32) {
    if (stored.rank() != 2 || stored[0] < 0 || stored[0] > INT64_MAX - kPanelRows)
      return std::nullopt;
    stored[0] = round_up(stored[0], kPanelRows);
  }
  return checked_bytes(stored.dims(), dtype_bytes(weight.dtype));
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
