#include <algorithm>
#include <array>
#include <chrono>
#include <functional>

#include "device/cpu/team.h"
#include "kernels/cpu/probe/loops.h"
#include "kernels/cpu/probe/probe.h"

namespace legato::kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

const ProbeLoops& loops_of(CpuLevel level) {
  if (level >= CpuLevel::kAvx512) return avx512::probe_loops();
  return level == CpuLevel::kAvx2 ? avx2::probe_loops() : sse2::probe_loops();
}

/// Median rate over seven stretches of about 30 ms, all threads running `loop(rounds)` at once.
double rate(Team& team, double units_a_round, const std::function<void(int64_t)>& loop) {
  int64_t rounds = 1 << 16;
  std::array<double, 7> rates{};
  for (size_t i = 0; i < rates.size();) {
    const Clock::time_point begin = Clock::now();
    team.run([&](TeamMember& member) {
      member.for_chunks(member.size(), [&](int64_t) { loop(rounds); });
    });
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (seconds < 0.02) {
      rounds *= 2;
      continue;
    }
    rates[i++] = units_a_round * static_cast<double>(rounds) * team.size() / seconds;
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

}  // namespace

FlopsResult measure_flops(CpuLevel level, int threads) {
  Team team(threads);
  const ProbeLoops& loops = loops_of(level);
  FlopsResult result;
  std::atomic<int64_t> sink{0};
  result.f32_flops = 2 * rate(team, loops.multiply_adds_a_round, [&](int64_t rounds) {
                       sink += static_cast<int64_t>(loops.multiply_add(rounds));
                     });
  const bool vnni = level == CpuLevel::kAvx512Vnni;
  result.int8_ops =
      2 *
      rate(team, vnni ? avx512vnni::dot8_products_a_round() : loops.dot8_products_a_round,
           [&](int64_t rounds) { sink += vnni ? avx512vnni::dot8(rounds) : loops.dot8(rounds); });
  return result;
}

}  // namespace legato::kernels::cpu
