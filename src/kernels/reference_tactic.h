#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "kernels/tactic.h"

namespace legato::kernels {

/// A reference computation bound to one problem. `launch` is called by one thread and allocates
/// nothing.
struct BoundReference {
  std::function<void(const LaunchArgs&)> launch;
  std::function<size_t(const Limits&)> workspace_bytes;  ///< null: none
  double operations_per_output = 1;                      ///< floating-point, for each element
};

/// Judges the attributes and shapes that the computation relies on.
using BindReference = Result<BoundReference> (*)(const Problem& problem);

/// Registers the reference tactic "ref.<op in lower case>": plain loops straight from the formula,
/// on plain layouts and any row stride. Member 0 of a team does the work. `weights` are inputs that
/// may be quantised matrices; any other operand of a quantised dtype is refused.
void add_reference(TacticRegistry& registry, std::string op, BindReference bind,
                   std::vector<size_t> weights = {});

/// A refusal of a reference tactic.
Status refuse_problem(const Problem& problem, const std::string& message);
/// kUnsupported unless the given inputs, where present, and all outputs are f32.
Status require_f32(const Problem& problem, std::initializer_list<size_t> inputs);
/// kUnsupported unless the given inputs, where present, are floating-point.
Status require_float(const Problem& problem, std::initializer_list<size_t> inputs);
/// kUnsupported unless the input, where present, is a matrix of floating-point or quantised numbers
/// with `columns` columns and, where given, `rows` rows.
Status require_weight(const Problem& problem, size_t input, int64_t columns,
                      std::optional<int64_t> rows = std::nullopt);
/// The extent of an operand's axis, which has to be known; kUnsupported otherwise.
Result<int64_t> static_extent(const Problem& problem, const OperandSpec& operand, int axis);

}  // namespace legato::kernels
