#pragma once

#include <cmath>

#include "kernels/ref/reduction.h"

namespace legato::kernels::ref {

/// y = finish(x - max, sum of e^(x - max)) along the attribute "axis", in double precision.
template <typename Finish>
Result<BoundReference> softmax_lines(const Problem& problem, Finish finish) {
  LEGATO_ASSIGN_OR_RETURN(const int64_t axis, axis_of(problem, -1));
  BoundReference bound;
  bound.operations_per_output = 4;
  bound.launch = [axis, finish](const LaunchArgs& args) {
    const Operand& x = args.inputs[0];
    const Lines lines(x.shape, axis);
    lines.for_each([&](int64_t first) {
      const int64_t end = first + lines.extent * lines.inner;
      double largest = -INFINITY;
      for (int64_t at = first; at < end; at += lines.inner)
        largest = std::max(largest, load(x, at));
      double sum = 0;
      for (int64_t at = first; at < end; at += lines.inner) sum += std::exp(load(x, at) - largest);
      for (int64_t at = first; at < end; at += lines.inner)
        store(args.outputs[0], at, finish(load(x, at) - largest, sum));
    });
  };
  return bound;
}

}  // namespace legato::kernels::ref
