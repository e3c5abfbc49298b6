#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/activation.h"
#include "kernels/ref/element.h"

namespace legato::kernels::ref {

inline double gelu(double x) { return 0.5 * x * (1.0 + std::erf(x * M_SQRT1_2)); }

/// The approximation of Hendrycks and Gimpel 2016.
inline double gelu_tanh(double x) {
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
}

inline double silu(double x) { return x / (1.0 + std::exp(-x)); }

inline double activate(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return x > 0 ? x : (std::isnan(x) ? x : 0.0);
    case Activation::kGelu:
      return gelu(x);
    case Activation::kGeluTanh:
      return gelu_tanh(x);
    case Activation::kSilu:
      return silu(x);
  }
  return x;
}

/// A norm and its operands; weight and bias may be absent.
struct Normalisation {
  Norm norm = Norm::kNone;
  double epsilon = 0;
  Operand weight;
  Operand bias;
};

/// out[i] = norm(x)[i] * weight[i] + bias[i] over one row, in double precision.
template <typename Out>
void normalise(const Normalisation& how, const float* x, int64_t width, Out* out) {
  double mean = 0;
  if (how.norm == Norm::kLayer) {
    for (int64_t i = 0; i < width; ++i) mean += x[i];
    mean /= static_cast<double>(width);
  }
  double squares = 0;
  for (int64_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double factor = how.norm == Norm::kNone
                            ? 1.0
                            : 1.0 / std::sqrt(squares / static_cast<double>(width) + how.epsilon);
  for (int64_t i = 0; i < width; ++i)
    out[i] = static_cast<Out>((x[i] - mean) * factor * vector_at(how.weight, i, 1.0) +
                              vector_at(how.bias, i, 0.0));
}

/// Turns the first `rotary_dim` numbers of one head by a row of a rotary table.
inline void rotate(float* head, const float* table, int64_t rotary_dim, bool interleaved) {
  const int64_t half = rotary_dim / 2;
  for (int64_t i = 0; i < half; ++i) {
    float& a = head[interleaved ? 2 * i : i];
    float& b = head[interleaved ? 2 * i + 1 : i + half];
    const double cosine = table[i];
    const double sine = table[half + i];
    const double turned_a = a * cosine - b * sine;
    const double turned_b = b * cosine + a * sine;
    a = static_cast<float>(turned_a);
    b = static_cast<float>(turned_b);
  }
}

}  // namespace legato::kernels::ref
