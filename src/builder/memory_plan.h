#pragma once

#include <vector>

#include "engine/schema.h"

namespace legato::builder {

/// Gives every value with storage kSlot a slot: values whose lifetimes don't meet share one. A
/// value lives from the step that writes it to the last that reads it or an alias of it, ends
/// included. `roots[i]` is the value whose bytes value i has (itself unless it is an alias); the
/// roots of slot values are written by steps. Fills spec.slots and the values' indices. Greedy in
/// step order: the free slot that fits best at the profile's greatest extents, or the largest one,
/// which grows.
void plan_memory(engine::EngineSpec& spec, const std::vector<int32_t>& roots);

}  // namespace legato::builder
