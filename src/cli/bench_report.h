#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/measure.h"
#include "cli/profile_table.h"
#include "device/cpu/cpu_level.h"

namespace legato::cli {

/// Everything that a run of the benchmark found out.
struct BenchReport {
  Workload workload;
  int threads = 1;
  CpuLevel level = CpuLevel::kSse2;
  Measured measured;
  std::vector<int64_t> curve_depths;
  std::vector<double> curve_ms;   ///< median step at each depth
  std::vector<StepSample> steps;  ///< only when each step was asked for
  double bytes_per_step = 0;
  uint64_t peak_bytes = 0;
  StepProfile profile;  ///< rows only when each kernel was measured
};

/// The level of a name that was checked; the machine's best for an empty one.
CpuLevel bench_level(const std::string& name);

Json bench_json(const BenchReport& report);
/// Each decode step, a list a quantity.
Json steps_json(const std::vector<StepSample>& steps);
std::string format_bench(const BenchReport& report);

}  // namespace legato::cli
