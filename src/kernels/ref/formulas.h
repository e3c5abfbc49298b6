#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/ref/element.h"

namespace legato::kernels::ref {

enum class Activation { kNone, kRelu, kGelu, kGeluTanh, kSilu };

inline std::optional<Activation> activation_from_name(std::string_view name) {
  if (name == "none") return Activation::kNone;
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_tanh") return Activation::kGeluTanh;
  if (name == "silu") return Activation::kSilu;
  return std::nullopt;
}

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

enum class Norm { kNone, kRms, kLayer };

inline std::optional<Norm> norm_from_name(std::string_view name) {
  if (name == "none") return Norm::kNone;
  if (name == "rms") return Norm::kRms;
  if (name == "layer") return Norm::kLayer;
  return std::nullopt;
}

/// out[i] = norm(x)[i] * weight[i] + bias[i] over one row, in double precision.
template <typename Out>
void normalise(Norm norm, double epsilon, const float* x, int64_t width, const Operand& weight,
               const Operand& bias, Out* out) {
  double mean = 0;
  if (norm == Norm::kLayer) {
    for (int64_t i = 0; i < width; ++i) mean += x[i];
    mean /= static_cast<double>(width);
  }
  double squares = 0;
  for (int64_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double factor =
      norm == Norm::kNone ? 1.0 : 1.0 / std::sqrt(squares / static_cast<double>(width) + epsilon);
  for (int64_t i = 0; i < width; ++i)
    out[i] = static_cast<Out>((x[i] - mean) * factor * vector_at(weight, i, 1.0) +
                              vector_at(bias, i, 0.0));
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
