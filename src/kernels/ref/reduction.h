#pragma once

#include <algorithm>
#include <vector>

#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {

/// Which axes are kept (stride of the result) and which are run over.
struct ReducedShape {
  Index kept_strides{};   ///< of x, along kept axes in order
  Index inner_strides{};  ///< of x, along reduced axes in order
  Shape kept;
  Shape inner;

  ReducedShape(const Shape& x, const std::vector<int64_t>& axes, bool all) {
    const Index strides = strides_of(x);
    size_t kept_rank = 0;
    size_t inner_rank = 0;
    for (int axis = 0; axis < x.rank(); ++axis) {
      const bool reduced = all || std::find(axes.begin(), axes.end(), axis) != axes.end() ||
                           std::find(axes.begin(), axes.end(), axis - x.rank()) != axes.end();
      (reduced ? inner : kept).push_back(x[axis]);
      (reduced ? inner_strides[inner_rank++] : kept_strides[kept_rank++]) =
          strides[static_cast<size_t>(axis)];
    }
  }
};

/// y = finish(combine(... combine(start, x0) ...), number of elements), in double precision.
template <typename Combine, typename Finish>
BoundReference reduce(const Problem& problem, double start, Combine combine, Finish finish) {
  const std::vector<int64_t> axes = problem.attributes.get_ints("axes");
  const bool all = !problem.attributes.has("axes");
  BoundReference bound;
  bound.launch = [=](const LaunchArgs& args) {
    const Operand& x = args.inputs[0];
    const ReducedShape shape(x.shape, axes, all);
    const auto count = static_cast<double>(shape.inner.elements());
    for_each_index(shape.kept, [&](const Index& index, int64_t flat) {
      const int64_t base = dot(index, shape.kept_strides);
      double value = start;
      for_each_index(shape.inner, [&](const Index& inner, int64_t) {
        value = combine(value, load(x, base + dot(inner, shape.inner_strides)));
      });
      // An integer has no infinity to stand for the extreme of nothing.
      if (count == 0 && !is_float(x.dtype)) value = 0;
      store(args.outputs[0], flat, finish(value, count));
    });
  };
  return bound;
}

/// The lines of a tensor along one axis.
struct Lines {
  int64_t outer = 0;   ///< lines are counted [outer][inner]
  int64_t extent = 0;  ///< elements of a line
  int64_t inner = 1;   ///< elements from one element of a line to the next

  Lines(const Shape& shape, int64_t given_axis) {
    const auto axis = static_cast<int>(given_axis < 0 ? given_axis + shape.rank() : given_axis);
    extent = shape[axis];
    inner = strides_of(shape)[static_cast<size_t>(axis)];
    outer = extent * inner == 0 ? 0 : shape.elements() / (extent * inner);
  }
  /// body(index of the line's first element).
  template <typename Body>
  void for_each(Body&& body) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) body(o * extent * inner + i);
  }
};

/// The axis attribute; kUnsupported when it lies outside input 0.
inline Result<int64_t> axis_of(const Problem& problem, int64_t otherwise) {
  const int64_t axis = problem.attributes.get_int("axis", otherwise);
  const int rank = problem.inputs[0].shape.rank();
  if (axis < -rank || axis >= rank) return refuse_problem(problem, "axis is outside the operand");
  return axis;
}

}  // namespace legato::kernels::ref
