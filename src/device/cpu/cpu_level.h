#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace legato {

/// Instruction-set levels that the CPU kernels are compiled for, each containing the one before.
enum class CpuLevel : uint8_t {
  kSse2 = 0,        ///< any x86-64
  kAvx2 = 1,        ///< AVX2, FMA, F16C
  kAvx512 = 2,      ///< AVX-512 F, BW, DQ, VL
  kAvx512Vnni = 3,  ///< and VNNI and BF16
};
inline constexpr int kNumCpuLevels = 4;

/// "sse2", "avx2", "avx512", "avx512vnni".
std::string_view cpu_level_name(CpuLevel level);
std::optional<CpuLevel> cpu_level_from_name(std::string_view name);

/// The highest level that this machine has (its registers enabled by the operating system
/// included).
CpuLevel best_cpu_level();
/// Every level this machine has, lowest first.
std::vector<CpuLevel> available_cpu_levels();

/// Cores that this process may use: its affinity mask, cut by the cgroup's CPU quota rounded down;
/// at least 1.
int usable_cores();

}  // namespace legato
