#pragma once

#include <cstdint>

namespace legato::cli {

/// How often and how long this process's threads were kept from a core; sums since the process
/// began, so that two of them give what lies between.
struct CoreLoss {
  int64_t preemptions = 0;  ///< involuntary context switches
  double waited_us = 0;     ///< ready to run and without a core (0 where the kernel doesn't count)
  int64_t steal_ticks = 0;  ///< of the whole machine: 10 ms each that the hypervisor kept back

  CoreLoss operator-(const CoreLoss& earlier) const;
};

/// Reads a few small files of /proc: tens of microseconds, so outside of what is timed.
CoreLoss core_loss_so_far();

}  // namespace legato::cli
