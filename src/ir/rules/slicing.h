#pragma once

#include "ir/op.h"

namespace legato::ir {

/// The numbers of an axis-like parameter that is an input where it is computed and an attribute
/// where it is constant; null when it is absent. `values` gets them when known.
struct ListParameter {
  bool present = false;
  bool known = false;
  std::vector<Dim> values;
};
/// Reads input `input`, or the attribute where that input is absent; refuses both at once.
ListParameter list_parameter(const NodeView& view, size_t input, std::string_view attribute);

/// What Slice takes of one axis.
struct SliceAxis {
  Dim start;
  Dim count;
  int64_t step = 1;
};
/// Start and number of elements, with starts and ends clamped as ONNX does. A named bound is taken
/// to lie inside the axis; nullopt when the count can't be told.
std::optional<SliceAxis> slice_axis(const Dim& extent, const Dim& start, const Dim& end,
                                    int64_t step);

}  // namespace legato::ir
