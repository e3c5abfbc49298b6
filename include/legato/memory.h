#pragma once

#include <cstddef>

#include "legato/status.h"

namespace legato {
inline namespace v1 {

/// Where weights, cache and workspace come from when the caller brings the memory. Without one,
/// Legato takes huge pages from the operating system. Must outlive what was made with it; any
/// thread may call it.
class LEGATO_API MemorySource {
 public:
  virtual ~MemorySource();
  /// `bytes` zero-filled bytes, aligned to at least 4096; null when there are none.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* data, size_t bytes) = 0;
  /// What a request of this size really takes: what a MemoryPlan adds up.
  virtual size_t reserved_bytes(size_t bytes) const { return bytes; }
};

}  // namespace v1
}  // namespace legato
