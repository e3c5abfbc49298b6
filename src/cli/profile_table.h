#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "legato/session.h"

namespace legato::cli {

/// Where the time of a decode step goes.
struct StepProfile {
  struct Row {
    EngineLayer layer;  ///< with the bytes and operations of one step
    double us = 0;
    double barrier_us = 0;
  };
  std::vector<Row> rows;
  double step_us = 0;           ///< median of unprofiled steps
  double bytes_per_second = 0;  ///< what the machine's memory gives: the roofline

  double kernels_us() const;
  double barriers_us() const;
  /// What a step takes beside its kernels, waiting included.
  double overhead_us() const { return step_us - kernels_us(); }
};

std::string format_profile(const StepProfile& profile);
Json profile_json(const StepProfile& profile);

}  // namespace legato::cli
