#pragma once

#include "device/buffer.h"

namespace legato {

/// Where a kernel is launched. On the CPU it is one member of a thread team (device/cpu/team.h) and
/// every member launches every kernel; on a GPU it is a queue that one host thread fills.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Backend backend() const = 0;
};

}  // namespace legato
