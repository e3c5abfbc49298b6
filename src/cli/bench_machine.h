#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "device/cpu/cpu_level.h"

namespace legato::cli {

/// Bytes a second that `threads` threads read together from a buffer of about `bytes` (8 to 512
/// MiB): from memory, or from the caches where an engine of that size would lie in them. 0, and a
/// warning, when there is no memory left to measure with.
double read_bandwidth(int threads, uint64_t bytes);

/// {read_bytes_per_s: {one_thread, all_threads, huge_pages}}. Throws Error.
Json bandwidth_json(int threads);
/// {f32_flops, int8_ops}.
Json flops_json(int threads, CpuLevel level);

/// "cpu avx512vnni, 2 threads, AMD EPYC ...".
std::string describe_device(int threads, CpuLevel level);
/// Short hash of the source that this program was built from, or "unknown".
std::string source_commit();

}  // namespace legato::cli
