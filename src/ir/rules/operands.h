#pragma once

#include <string>

#include "ir/op.h"

namespace legato::ir {

/// `input 1 (weight)`.
std::string input_name(const NodeView& view, size_t input);
/// `f32[tokens, 256]`.
std::string type_text(const ValueType& type);

/// Checks of an operand; each refuses by naming it, what was expected and what came.
void require_rank(const NodeView& view, size_t input, int rank);
void require_rank_at_least(const NodeView& view, size_t input, int rank);
void require_dtype(const NodeView& view, size_t input, DType dtype);
void require_float(const NodeView& view, size_t input);
/// A matrix of weights: floating-point or quantised.
void require_weight(const NodeView& view, size_t input);
/// A quantised operand only where the op reads one.
void check_quantised(const OpSchema& schema, const NodeView& view);
/// i32 or i64.
void require_index(const NodeView& view, size_t input);
/// `expected` describes the shape in words, for example "[N, K] with K = 256".
void require_shape(const NodeView& view, size_t input, const SymShape& shape);
/// Nothing when the optional input is absent, else a float of that shape.
void require_optional_float(const NodeView& view, size_t input, const SymShape& shape);

/// The axis counted from the front; refuses one outside [-rank, rank).
int normalised_axis(const NodeView& view, int64_t axis, int rank);
/// The last extent of an input, which must have one.
const Dim& last_dim(const NodeView& view, size_t input);
/// The shape with another last extent.
SymShape with_last(const SymShape& shape, Dim last);

/// A dimension whose extent only a run tells, named after the node and an index.
Dim fresh_dim(const NodeView& view, int index);
/// Product of extents; nullopt when the polynomial grows beyond what a graph may hold.
std::optional<Dim> bounded_product(const std::vector<Dim>& dims);
/// Whether a graph may hold this extent.
bool is_bounded(const Dim& dim);

/// Behaviours that many ops share.
SequenceBehaviour token_local(const NodeView& view, int axis);
SequenceBehaviour opaque(const NodeView& view, int axis);
/// Combines what lies along the last axis; token-local along all others.
SequenceBehaviour reduces_last_axis(const NodeView& view, int axis);

}  // namespace legato::ir
