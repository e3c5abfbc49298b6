#include "device/cpu/huge_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "base/checked.h"
#include "device/cpu/pages.h"

namespace legato {
namespace {

std::byte* map(size_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

std::byte* map_huge(size_t bytes) {
  std::byte* data = map_at_huge_page(bytes, PROT_READ | PROT_WRITE);
  if (data != nullptr) ::madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

void unmap(std::byte* data, size_t bytes) { ::munmap(data, bytes); }

/// Where the two versions of cgroups say how much memory the group may have and has.
struct CgroupFiles {
  const char* limit;
  const char* used;  ///< page cache included
  const char* statistics;
  const char* cache;  ///< the line of the statistics that says how much is page cache
};
constexpr CgroupFiles kCgroups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
     "file"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat", "total_cache"}};

/// The first number of a file; nothing when there is none, as in "max".
std::optional<size_t> read_number(const char* path) {
  size_t number = 0;
  if (std::ifstream file(path); file >> number) return number;
  return std::nullopt;
}

/// The number behind `name` in a file of names and numbers, a line each.
std::optional<size_t> read_number_of(const char* path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    size_t number = 0;
    if (words >> word >> number && word == name) return number;
  }
  return std::nullopt;
}

/// Limit of the cgroup in bytes, SIZE_MAX when there is none.
size_t cgroup_memory() {
  for (const CgroupFiles& files : kCgroups) {
    if (const auto limit = read_number(files.limit)) return *limit;
  }
  return SIZE_MAX;
}

/// Bytes that the limit leaves, SIZE_MAX when there is none.
size_t cgroup_available() {
  for (const CgroupFiles& files : kCgroups) {
    const auto limit = read_number(files.limit), used = read_number(files.used);
    if (!limit || !used) continue;
    const size_t kept =
        *used - std::min(*used, read_number_of(files.statistics, files.cache).value_or(0));
    return *limit - std::min(*limit, kept);
  }
  return SIZE_MAX;
}

}  // namespace

size_t machine_memory_bytes() {
  static const size_t bytes = [] {
    const auto pages = static_cast<size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
    return std::min(pages * kPageBytes, cgroup_memory());
  }();
  return bytes;
}

size_t available_memory_bytes() {
  const auto kib = read_number_of("/proc/meminfo", "MemAvailable:");
  return std::min(kib ? *kib * 1024 : SIZE_MAX, cgroup_available());
}

size_t HugeMemory::reserved_bytes(size_t bytes) const {
  // What doesn't fill a huge page at the end lies in small ones.
  return round_up(bytes == 0 ? 1 : bytes, kPageBytes);
}

Result<Buffer> HugeMemory::allocate(size_t bytes) {
  LEGATO_RETURN_IF_ERROR(check_fits_machine(bytes, ""));
  const size_t reserved = reserved_bytes(bytes);
  std::byte* data = reserved >= kHugePageBytes ? map_huge(reserved) : map(reserved);
  if (data == nullptr)
    return fail(Code::kResourceExhausted, "", fmt::format("cannot get {} bytes of memory", bytes));
  return Buffer(data, reserved, unmap);
}

size_t huge_page_bytes() {
  return read_number_of("/proc/self/smaps_rollup", "AnonHugePages:").value_or(0) * 1024;
}

}  // namespace legato
