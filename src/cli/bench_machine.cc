#include "cli/bench_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/log.h"
#include "base/status.h"
#include "kernels/cpu/probe/probe.h"

namespace legato::cli {
namespace {

namespace cpu = kernels::cpu;

/// Bounds of the buffer that stands for an engine. Above the larger one nothing lies in a cache.
constexpr uint64_t kMinProbeBytes = uint64_t{8} << 20;
constexpr uint64_t kMaxProbeBytes = uint64_t{512} << 20;

cpu::BandwidthResult measure(int threads) {
  cpu::BandwidthOptions options;
  options.threads = threads;
  return value_or_throw(cpu::measure_read_bandwidth(options));
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

}  // namespace

double read_bandwidth(int threads, uint64_t bytes) {
  cpu::BandwidthOptions options;
  options.threads = threads;
  options.bytes = std::clamp(bytes, kMinProbeBytes, kMaxProbeBytes) >> 21 << 21;  // huge pages
  const Result<cpu::BandwidthResult> result = cpu::measure_read_bandwidth(options);
  if (result.ok()) return result->bytes_per_s;
  log_warning("the memory's bandwidth was not measured: " + result.status().to_string());
  return 0;
}

Json bandwidth_json(int threads) {
  const cpu::BandwidthResult one = measure(1);
  const cpu::BandwidthResult all = threads == 1 ? one : measure(threads);
  return {{"read_bytes_per_s",
           {{"one_thread", one.bytes_per_s},
            {"all_threads", all.bytes_per_s},
            {"huge_pages", all.huge_pages}}},
          {"threads", threads}};
}

Json flops_json(int threads, CpuLevel level) {
  const cpu::FlopsResult result = cpu::measure_flops(level, threads);
  return {{"f32_flops", result.f32_flops},
          {"int8_ops", result.int8_ops},
          {"threads", threads},
          {"cpu_level", cpu_level_name(level)}};
}

std::string describe_device(int threads, CpuLevel level) {
  return fmt::format("cpu {}, {}, {}", cpu_level_name(level), counted(threads, "thread"),
                     cpu_name());
}

std::string source_commit() { return LEGATO_COMMIT; }

}  // namespace legato::cli
