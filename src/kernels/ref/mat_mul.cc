#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

/// A vector stands for a row on the left and for a column on the right.
Shape as_matrix(const Shape& shape, bool is_row) {
  if (shape.rank() != 1) return shape;
  return is_row ? Shape{1, shape[0]} : Shape{shape[0], 1};
}

/// The leading axes of a shape.
Shape batch_of(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
}

Shape joined_batch(const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    int64_t& extent = result[axis + longer.rank() - shorter.rank()];
    if (extent == 1) extent = shorter[axis];
  }
  return result;
}

void launch(const LaunchArgs& args) {
  const Shape a = as_matrix(args.inputs[0].shape, true);
  const Shape b = as_matrix(args.inputs[1].shape, false);
  const int64_t rows = a[a.rank() - 2];
  const int64_t depth = a[a.rank() - 1];
  const int64_t columns = b[b.rank() - 1];
  const Shape batch = joined_batch(batch_of(a), batch_of(b));
  const Index a_batch = broadcast_strides(batch_of(a), batch);
  const Index b_batch = broadcast_strides(batch_of(b), batch);
  for_each_index(batch, [&](const Index& index, int64_t matrix) {
    const int64_t a_begin = dot(index, a_batch) * rows * depth;
    const int64_t b_begin = dot(index, b_batch) * depth * columns;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += load(args.inputs[0], a_begin + row * depth + k) *
                 load(args.inputs[1], b_begin + k * columns + column);
        store(args.outputs[0], (matrix * rows + row) * columns + column, sum);
      }
    }
  });
}

Result<BoundReference> bind(const Problem& problem) {
  BoundReference bound;
  const Dim& depth = problem.inputs[0].shape.dims.back();
  if (depth.is_constant()) bound.operations_per_output = 2 * static_cast<double>(depth.constant());
  bound.launch = launch;
  return bound;
}

}  // namespace

void register_mat_mul(TacticRegistry& registry) { add_reference(registry, "MatMul", bind); }

}  // namespace legato::kernels::ref
