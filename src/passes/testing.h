#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "passes/evaluator.h"

/// Small tensors and comparisons for tests of ops and passes.
namespace legato::passes {

template <typename T>
Tensor tensor_of(DType dtype, Shape shape, const std::vector<T>& elements) {
  Tensor tensor(dtype, shape);
  LEGATO_CHECK(static_cast<int64_t>(elements.size()) == shape.elements());
  for (size_t i = 0; i < elements.size(); ++i)
    store_element(dtype, tensor.raw().data(), static_cast<int64_t>(i),
                  static_cast<double>(elements[i]));
  return tensor;
}
inline Tensor f32(Shape shape, const std::vector<double>& elements) {
  return tensor_of(DType::kF32, shape, elements);
}
inline Tensor i32(Shape shape, const std::vector<int64_t>& elements) {
  return tensor_of(DType::kI32, shape, elements);
}
inline Tensor i64(Shape shape, const std::vector<int64_t>& elements) {
  return tensor_of(DType::kI64, shape, elements);
}
/// Normal numbers that depend on the seed alone.
inline Tensor random_f32(Shape shape, uint64_t seed) {
  return ir::random_normal(DType::kF32, shape, seed, 1.0f)->load();
}

inline std::vector<double> elements_of(const Tensor& tensor) {
  std::vector<double> elements;
  for (int64_t i = 0; i < tensor.shape().elements(); ++i)
    elements.push_back(load_element(tensor.dtype(), tensor.raw().data(), i));
  return elements;
}

/// Largest difference of two tensors; infinite when their types differ or a NaN stands in one.
inline double max_difference(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return INFINITY;
  const std::vector<double> left = elements_of(a);
  const std::vector<double> right = elements_of(b);
  double most = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    const bool both_nan = std::isnan(left[i]) && std::isnan(right[i]);
    if (left[i] == right[i] || both_nan) continue;
    const double difference = std::abs(left[i] - right[i]);
    most = std::isnan(difference) ? INFINITY : std::max(most, difference);
  }
  return most;
}

/// Outputs of a graph in the text form.
inline std::vector<Tensor> evaluate_text(const std::string& text,
                                         const std::map<std::string, Tensor>& inputs) {
  const ir::Graph graph = ir::parse(text);
  verify(graph);
  return evaluate(graph, inputs);
}

/// A graph of the text form between braces, verified; constants are random by their names.
inline ir::Graph graph_of(const std::string& statements) {
  ir::Graph graph = ir::parse("graph {\n" + statements + "}\n");
  verify(graph);
  return graph;
}

/// Random inputs of a graph whose symbols all stand for `extent`; integers count 0, 1, 2, 0 ...
inline std::map<std::string, Tensor> random_inputs(const ir::Graph& graph, int64_t extent) {
  std::map<std::string, Tensor> inputs;
  for (const ir::ValueId id : graph.inputs()) {
    const ir::Value& value = graph.value(id);
    Shape shape;
    for (const Dim& dim : value.type.shape.dims)
      shape.push_back(dim.is_constant() ? dim.constant() : extent);
    const auto seed = static_cast<uint64_t>(id) + 1;
    Tensor tensor = random_f32(shape, seed);
    if (value.type.dtype != DType::kF32) {
      tensor = Tensor(value.type.dtype, shape);
      for (int64_t i = 0; i < shape.elements(); ++i)
        store_element(value.type.dtype, tensor.raw().data(), i, static_cast<double>(i % 3));
    }
    inputs.emplace(value.name, std::move(tensor));
  }
  return inputs;
}

/// Largest difference of all outputs of two graphs on the same random inputs, over the largest
/// output.
inline double relative_difference(const ir::Graph& a, const ir::Graph& b, int64_t extent = 5) {
  const auto inputs = random_inputs(a, extent);
  const std::vector<Tensor> left = evaluate(a, inputs);
  const std::vector<Tensor> right = evaluate(b, inputs);
  double largest = 0;
  double difference = left.size() == right.size() ? 0 : INFINITY;
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    difference = std::max(difference, max_difference(left[i], right[i]));
    for (const double element : elements_of(left[i]))
      largest = std::max(largest, std::abs(element));
  }
  return difference / largest;
}

}  // namespace legato::passes
