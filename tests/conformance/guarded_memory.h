#pragma once

#include "device/buffer.h"

namespace legato::conformance {

/// Memory full of NaN whose last byte is followed by a page that nobody may touch: a kernel that
/// reads or writes past an operand, the workspace or the cache's slack crashes. `alignment` is a
/// power of two that divides the size, or the end lies that much further.
Buffer guarded_memory(size_t bytes, size_t alignment);

}  // namespace legato::conformance
