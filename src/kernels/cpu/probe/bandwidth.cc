#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "device/cpu/huge_memory.h"
#include "device/cpu/team.h"
#include "kernels/cpu/probe/loops.h"
#include "kernels/cpu/probe/probe.h"

namespace legato::kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

const ProbeLoops& best_loops() {
  const CpuLevel level = best_cpu_level();
  if (level >= CpuLevel::kAvx512) return avx512::probe_loops();
  return level == CpuLevel::kAvx2 ? avx2::probe_loops() : sse2::probe_loops();
}

/// One of `parts` parts of the buffer, in the probe's units of 512 KiB.
struct Part {
  size_t begin;
  size_t bytes;
  Part(int64_t index, int parts, size_t total) {
    constexpr size_t kUnit = 512 << 10;
    const size_t units = total / kUnit;
    const auto at = static_cast<size_t>(index);
    const auto count = static_cast<size_t>(parts);
    begin = units * at / count * kUnit;
    bytes = units * (at + 1) / count * kUnit - begin;
  }
};

/// Calls body(part) for a part a member, each on the member that it belongs to unless that one's
/// core is taken away.
template <typename Body>
void for_parts(Team& team, size_t bytes, Body&& body) {
  team.run([&](TeamMember& member) {
    member.for_chunks(member.size(),
                      [&](int64_t index) { body(Part(index, member.size(), bytes)); });
  });
}

}  // namespace

Result<BandwidthResult> measure_read_bandwidth(const BandwidthOptions& options) {
  HugeMemory memory;
  const size_t huge_before = huge_page_bytes();
  LEGATO_ASSIGN_OR_RETURN(Buffer buffer, memory.allocate(options.bytes));
  if (!options.huge_pages) madvise(buffer.data(), options.bytes, MADV_NOHUGEPAGE);
  Team team(options.threads);
  for_parts(team, options.bytes,
            [&](const Part& part) { std::memset(buffer.data() + part.begin, 1, part.bytes); });
  BandwidthResult result;
  result.huge_pages = huge_page_bytes() >= huge_before + options.bytes / 2;
  std::atomic<uint64_t> sink{0};
  std::vector<double> rates;
  for (int i = 0; i <= options.repeats; ++i) {
    const Clock::time_point begin = Clock::now();
    for_parts(team, options.bytes, [&](const Part& part) {
      sink += best_loops().read(buffer.data() + part.begin, part.bytes);
    });
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (i > 0)
      rates.push_back(static_cast<double>(options.bytes >> 19 << 19) /
                      seconds);  // the first warms up
  }
  std::sort(rates.begin(), rates.end());
  if (!rates.empty()) result.bytes_per_s = rates[rates.size() / 2];
  return result;
}

}  // namespace legato::kernels::cpu
