#include "ir/rules/operands.h"

#include <fmt/format.h>

#include <algorithm>

namespace legato::ir {
namespace {

constexpr size_t kMaxTerms = 16;
constexpr size_t kMaxDegree = 8;

}  // namespace

std::string input_name(const NodeView& view, size_t input) {
  const OpSchema* schema = ops().find(view.node.op);
  if (schema == nullptr || schema->input_names.empty()) return fmt::format("input {}", input);
  const auto& names = schema->input_names;
  return fmt::format("input {} ({})", input, names[std::min(input, names.size() - 1)]);
}

std::string type_text(const ValueType& type) {
  return fmt::format("{}{}", dtype_name(type.dtype), type.shape.to_string());
}

void require_rank(const NodeView& view, size_t input, int rank) {
  if (view.type(input).shape.rank() != rank)
    view.refuse(fmt::format("{} is {}, expected {} axes", input_name(view, input),
                            type_text(view.type(input)), rank));
}

void require_rank_at_least(const NodeView& view, size_t input, int rank) {
  if (view.type(input).shape.rank() < rank)
    view.refuse(fmt::format("{} is {}, expected at least {} axes", input_name(view, input),
                            type_text(view.type(input)), rank));
}

void require_dtype(const NodeView& view, size_t input, DType dtype) {
  if (view.type(input).dtype != dtype)
    view.refuse(fmt::format("{} is {}, expected {}", input_name(view, input),
                            type_text(view.type(input)), dtype_name(dtype)));
}

void require_float(const NodeView& view, size_t input) {
  if (!is_float(view.type(input).dtype))
    view.refuse(fmt::format("{} is {}, expected floating-point numbers", input_name(view, input),
                            type_text(view.type(input))));
}

void require_weight(const NodeView& view, size_t input) {
  if (!is_quantised(view.type(input).dtype)) require_float(view, input);
  require_rank(view, input, 2);
}

void check_quantised(const OpSchema& schema, const NodeView& view) {
  const auto& allowed = schema.quantised_inputs;
  for (size_t input = 0; input < view.node.inputs.size(); ++input) {
    if (!view.has(input) || !is_quantised(view.type(input).dtype)) continue;
    if (std::find(allowed.begin(), allowed.end(), input) == allowed.end())
      view.refuse(fmt::format("{} is {}, expected numbers that are not quantised",
                              input_name(view, input), type_text(view.type(input))));
  }
}

void require_index(const NodeView& view, size_t input) {
  const DType dtype = view.type(input).dtype;
  if (dtype != DType::kI32 && dtype != DType::kI64)
    view.refuse(fmt::format("{} is {}, expected i32 or i64", input_name(view, input),
                            type_text(view.type(input))));
}

void require_shape(const NodeView& view, size_t input, const SymShape& shape) {
  if (view.type(input).shape != shape)
    view.refuse(fmt::format("{} is {}, expected {}", input_name(view, input),
                            type_text(view.type(input)), shape.to_string()));
}

void require_optional_float(const NodeView& view, size_t input, const SymShape& shape) {
  if (!view.has(input)) return;
  require_float(view, input);
  require_shape(view, input, shape);
}

int normalised_axis(const NodeView& view, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    view.refuse(fmt::format("axis {} is outside [{}, {})", axis, -rank, rank));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

const Dim& last_dim(const NodeView& view, size_t input) {
  require_rank_at_least(view, input, 1);
  return view.type(input).shape.dims.back();
}

SymShape with_last(const SymShape& shape, Dim last) {
  SymShape result = shape;
  result.dims.back() = std::move(last);
  return result;
}

Dim fresh_dim(const NodeView& view, int index) {
  // Symbols may hold fewer characters than names; the escape keeps distinct names distinct.
  std::string symbol = "dim:";
  for (const char c : view.node.name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '/' || c == ':';
    if (plain) {
      symbol += c;
    } else {
      symbol += c == '_' ? "__" : fmt::format("_{:02x}", static_cast<unsigned char>(c));
    }
  }
  return Dim::symbol(fmt::format("{}:{}", symbol, index));
}

std::optional<Dim> bounded_product(const std::vector<Dim>& dims) {
  Dim product(1);
  for (const Dim& dim : dims) {
    product = product * dim;
    const Dim::Complexity size = product.complexity();
    if (size.terms > 4 * kMaxTerms || size.degree > 2 * kMaxDegree) return std::nullopt;
  }
  return product;
}

bool is_bounded(const Dim& dim) {
  const Dim::Complexity size = dim.complexity();
  return size.terms <= kMaxTerms && size.degree <= kMaxDegree;
}

SequenceBehaviour token_local(const NodeView& /*view*/, int /*axis*/) {
  return SequenceBehaviour::kTokenLocal;
}

SequenceBehaviour opaque(const NodeView& /*view*/, int /*axis*/) {
  return SequenceBehaviour::kOpaque;
}

SequenceBehaviour reduces_last_axis(const NodeView& view, int axis) {
  return axis == view.type(0).shape.rank() - 1 ? SequenceBehaviour::kReduction
                                               : SequenceBehaviour::kTokenLocal;
}

}  // namespace legato::ir
