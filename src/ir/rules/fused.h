#pragma once

#include <array>
#include <span>
#include <string_view>

#include "ir/op.h"

namespace legato::ir {

/// Values of the attribute "activation"; an op that always has one takes gating_activations().
inline constexpr std::array<std::string_view, 5> kActivations = {"none", "relu", "gelu",
                                                                 "gelu_tanh", "silu"};
constexpr std::span<const std::string_view> gating_activations() {
  return std::span(kActivations).subspan(1);
}
/// Values of the attribute "norm".
inline constexpr std::array<std::string_view, 3> kNorms = {"none", "rms", "layer"};
/// Values of the attribute "activation_bits": signed codes that one or two 8-bit ones hold.
inline constexpr int64_t kCoarseActivationBits = 8;
inline constexpr int64_t kFineActivationBits = 15;

/// Attributes and checks that Linear and GatedMlp share: activation(norm(x) W^T + ...).
std::vector<AttributeSpec> projection_attributes();
/// Judges activation, norm and epsilon, and that the norm's operands are there exactly where the
/// norm has them, each [K].
void check_projection(const NodeView& view, size_t norm_weight, size_t norm_bias, const Dim& width);
/// Refuses an epsilon below zero or not finite.
void check_epsilon(const NodeView& view, std::string_view attribute);

}  // namespace legato::ir
