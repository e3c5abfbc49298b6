#pragma once

#include <cstdint>

namespace legato::cli {

/// Most bytes that this process has held (VmHWM), and what it holds now (VmRSS).
uint64_t peak_resident_bytes();
uint64_t resident_bytes();
/// Gives freed memory back to the system, so that resident_bytes() counts what is in use.
void release_free_memory();

}  // namespace legato::cli
