#pragma once

#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {

/// Integer arithmetic that wraps, as two's complement does.
inline int64_t wrapped(uint64_t value) { return static_cast<int64_t>(value); }

/// y = f(x), element by element: `on_reals`, in double precision, where x is floating-point, else
/// `on_integers`.
template <typename OnReals, typename OnIntegers>
BoundReference unary(const Problem& problem, OnReals on_reals, OnIntegers on_integers) {
  BoundReference bound;
  if (is_float(problem.inputs[0].dtype)) {
    bound.launch = [on_reals](const LaunchArgs& args) {
      const int64_t count = args.outputs[0].shape.elements();
      for (int64_t i = 0; i < count; ++i)
        store(args.outputs[0], i, on_reals(load(args.inputs[0], i)));
    };
  } else {
    bound.launch = [on_integers](const LaunchArgs& args) {
      const int64_t count = args.outputs[0].shape.elements();
      for (int64_t i = 0; i < count; ++i)
        store_integer(args.outputs[0], i, on_integers(load_integer(args.inputs[0], i)));
    };
  }
  return bound;
}
template <typename OnReals>
BoundReference unary(const Problem& problem, OnReals on_reals) {
  return unary(problem, on_reals, [](int64_t x) { return x; });
}

/// body(flat index into output, into a, into b) over the broadcast shape of the output.
template <typename Body>
void for_each_pair(const LaunchArgs& args, Body&& body) {
  const Shape& shape = args.outputs[0].shape;
  const Index a = broadcast_strides(args.inputs[0].shape, shape);
  const Index b = broadcast_strides(args.inputs[1].shape, shape);
  for_each_index(
      shape, [&](const Index& index, int64_t flat) { body(flat, dot(index, a), dot(index, b)); });
}

/// y = f(a, b): `on_reals` where the operands are floating-point, else `on_integers`.
template <typename OnReals, typename OnIntegers>
BoundReference binary(const Problem& problem, OnReals on_reals, OnIntegers on_integers) {
  BoundReference bound;
  if (is_float(problem.inputs[0].dtype)) {
    bound.launch = [on_reals](const LaunchArgs& args) {
      for_each_pair(args, [&](int64_t to, int64_t a, int64_t b) {
        store(args.outputs[0], to, on_reals(load(args.inputs[0], a), load(args.inputs[1], b)));
      });
    };
  } else {
    bound.launch = [on_integers](const LaunchArgs& args) {
      for_each_pair(args, [&](int64_t to, int64_t a, int64_t b) {
        store_integer(
            args.outputs[0], to,
            on_integers(load_integer(args.inputs[0], a), load_integer(args.inputs[1], b)));
      });
    };
  }
  return bound;
}

/// y = f(a, b) as a bool.
template <typename OnReals, typename OnIntegers>
BoundReference compare(const Problem& problem, OnReals on_reals, OnIntegers on_integers) {
  return binary(
      problem, [on_reals](double a, double b) { return on_reals(a, b) ? 1.0 : 0.0; },
      [on_integers](int64_t a, int64_t b) -> int64_t { return on_integers(a, b) ? 1 : 0; });
}

}  // namespace legato::kernels::ref
