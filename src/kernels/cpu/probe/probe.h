#pragma once

#include <cstddef>

#include "base/status.h"
#include "device/cpu/cpu_level.h"

/// What this machine can do: the ceilings that kernels are measured against.
namespace legato::kernels::cpu {

struct BandwidthOptions {
  int threads = 1;
  size_t bytes = size_t{1} << 30;  ///< read once a repeat, shared among the threads
  bool huge_pages = true;
  int repeats = 5;
};

struct BandwidthResult {
  double bytes_per_s = 0;   ///< median of the repeats
  bool huge_pages = false;  ///< whether the buffer really lay in huge pages
};

/// Reads a buffer from memory. kResourceExhausted when there isn't that much.
Result<BandwidthResult> measure_read_bandwidth(const BandwidthOptions& options);

struct FlopsResult {
  double f32_flops = 0;  ///< a multiply-add counts two
  double int8_ops = 0;   ///< u8 by s8 into s32 (sse2: 16-bit products), counted likewise
};

/// Peak of independent multiply-adds in registers. The machine must have the level.
FlopsResult measure_flops(CpuLevel level, int threads);

}  // namespace legato::kernels::cpu
