#pragma once

#include <cstdint>

namespace legato::support {

/// Requests for heap memory (malloc and its kin, and with them operator new) that this process has
/// made on any thread. Linking allocation_counter.cc replaces those functions by counting ones.
int64_t allocations();

/// False under sanitizers, which bring their own heap: nothing is counted then, and a test must
/// skip instead of passing.
bool allocations_are_counted();

}  // namespace legato::support
