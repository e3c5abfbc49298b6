#pragma once

#include <cstdint>

namespace legato::sampling {

/// A number in [0, 1) with 53 random bits that depends on `seed` and `index` alone: SplitMix64
/// (Steele, Lea, Flood 2014) whose start is the mixed seed, read at place `index`.
double uniform(uint64_t seed, uint64_t index);

}  // namespace legato::sampling
