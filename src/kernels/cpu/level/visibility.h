#pragma once

#include "kernels/cpu/level/attention.h"

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

inline int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

/// Which positions a query at `position` sees: the sinks (when there is a window), then the window.
struct Visible {
  Interval sinks;
  Interval window;

  Visible(const AttentionWork& work, int64_t position) {
    window = {0, position + 1};
    if (work.window == 0) return;
    sinks = {0, at_most(work.sinks, position + 1)};
    window.begin = at_least(position + 1 - work.window, sinks.end);
  }

  /// The visible parts of positions [begin, begin + 32): at most two, in order. Returns how many.
  int parts(int64_t begin, Interval (&out)[2]) const {
    int count = 0;
    const Interval ranges[] = {sinks, window};
    for (const Interval& range : ranges) {
      const Interval part = {at_least(range.begin, begin), at_most(range.end, begin + kPanelLanes)};
      if (part.begin < part.end) out[count++] = part;
    }
    return count;
  }
  bool sees_any(int64_t begin, int64_t end) const {
    return (begin < window.end && end > window.begin) || begin < sinks.end;
  }
  bool sees_all(int64_t begin, int64_t end) const {
    return (begin >= window.begin && end <= window.end) ||
           (begin >= sinks.begin && end <= sinks.end);
  }
};

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
