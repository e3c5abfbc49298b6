#pragma once

#include <optional>
#include <span>

#include "cli/golden_file.h"
#include "legato/session.h"

namespace legato::cli {

struct CaseResult {
  double max_abs = 0;
  double max_rel = 0;  ///< largest difference over the largest absolute golden value
  double rtol = 0;
  bool greedy_equal = true;
  bool ok = false;
};

/// Largest differences between values and what was expected; NaN or infinity give infinity.
struct Difference {
  double max_abs = 0;
  double max_rel = 0;
};
Difference compare(std::span<const float> values, std::span<const float> expected);

/// Runs the prompt on the engine and compares logits and the greedy continuation. `rtol` replaces
/// the default tolerance. Throws Error when the case doesn't fit the engine.
CaseResult verify_case(Session& session, const GoldenCase& golden, std::optional<double> rtol);

}  // namespace legato::cli
