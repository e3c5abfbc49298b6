#pragma once

#include <cstddef>
#include <cstdint>

namespace legato::kernels::cpu {

/// Loops that do one thing as fast as a level can. Each returns something that depends on all of
/// it.
struct ProbeLoops {
  uint64_t (*read)(const void* data, size_t bytes);  ///< reads whole 512 KiB of it
  float (*multiply_add)(int64_t rounds);
  double multiply_adds_a_round;
  int32_t (*dot8)(int64_t rounds);
  double dot8_products_a_round;
};

namespace sse2 {
const ProbeLoops& probe_loops();
}
namespace avx2 {
const ProbeLoops& probe_loops();
}
namespace avx512 {
const ProbeLoops& probe_loops();
}
namespace avx512vnni {
int32_t dot8(int64_t rounds);
double dot8_products_a_round();
}  // namespace avx512vnni

}  // namespace legato::kernels::cpu
