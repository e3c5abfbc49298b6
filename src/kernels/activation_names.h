#pragma once

#include <optional>
#include <string_view>

#include "kernels/activation.h"

/// Values of the attributes "activation" and "norm"; nullopt for a name that is not known.
namespace legato::kernels {

inline std::optional<Activation> activation_from_name(std::string_view name) {
  if (name == "none") return Activation::kNone;
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_tanh") return Activation::kGeluTanh;
  if (name == "silu") return Activation::kSilu;
  return std::nullopt;
}

inline std::optional<Norm> norm_from_name(std::string_view name) {
  if (name == "none") return Norm::kNone;
  if (name == "rms") return Norm::kRms;
  if (name == "layer") return Norm::kLayer;
  return std::nullopt;
}

}  // namespace legato::kernels
