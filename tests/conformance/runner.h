#pragma once

#include "tests/conformance/case.h"

namespace legato::conformance {

struct Outcome {
  std::vector<float> output;  ///< dense
  std::vector<std::byte> cache;
};

/// Binds the tactic to the case's problem and launches it on `threads` threads. Constants lie as
/// the tactic asks, workspace, output and the cache's unwritten part are NaN. Throws Error when the
/// tactic refuses.
Outcome run_case(const kernels::Tactic& tactic, const Case& test, CpuLevel level, int threads);

/// The reference's outcome.
Outcome run_reference(const Case& test);

}  // namespace legato::conformance
