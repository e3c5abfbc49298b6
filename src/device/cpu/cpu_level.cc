#include "device/cpu/cpu_level.h"

#include <cpuid.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace legato {
namespace {

constexpr std::array<std::string_view, kNumCpuLevels> kNames = {"sse2", "avx2", "avx512",
                                                                "avx512vnni"};

/// Quota of the cgroup in cores, or a huge number when there is none (cgroup v2, then v1).
double cgroup_cores() {
  constexpr double kUnlimited = 1e9;
  double quota = 0;
  double period = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) {
    std::string first;
    if (!(v2 >> first >> period) || first == "max" || period <= 0) return kUnlimited;
    return std::strtod(first.c_str(), nullptr) / period;
  }
  std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0)
    return kUnlimited;
  return quota / period;
}

/// clang before 17 doesn't know "f16c" as a feature; that its registers are enabled, AVX2 tells.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

}  // namespace

std::string_view cpu_level_name(CpuLevel level) { return kNames[static_cast<size_t>(level)]; }

std::optional<CpuLevel> cpu_level_from_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<CpuLevel>(i);
  return std::nullopt;
}

CpuLevel best_cpu_level() {
  static const CpuLevel best = [] {
    __builtin_cpu_init();
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c()))
      return CpuLevel::kSse2;
    if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")))
      return CpuLevel::kAvx2;
    if (!(__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16")))
      return CpuLevel::kAvx512;
    return CpuLevel::kAvx512Vnni;
  }();
  return best;
}

std::vector<CpuLevel> available_cpu_levels() {
  std::vector<CpuLevel> levels;
  for (int i = 0; i <= static_cast<int>(best_cpu_level()); ++i)
    levels.push_back(static_cast<CpuLevel>(i));
  return levels;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int allowed = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  return std::max(1, std::min(allowed, static_cast<int>(std::min(cgroup_cores(), 1e6))));
}

}  // namespace legato
