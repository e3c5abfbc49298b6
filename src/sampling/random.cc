#include "sampling/random.h"

namespace legato::sampling {
namespace {

constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;  // 2^64 / phi, odd

/// Bijective; each input bit changes half of the output bits.
constexpr uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

double uniform(uint64_t seed, uint64_t index) {
  const uint64_t start = mix(seed + kGoldenRatio);
  return static_cast<double>(mix(start + (index + 1) * kGoldenRatio) >> 11) * 0x1p-53;
}

}  // namespace legato::sampling
