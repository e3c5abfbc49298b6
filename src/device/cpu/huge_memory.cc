#include "device/cpu/huge_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "base/checked.h"

namespace legato {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kPage = 4096;

std::byte* map(size_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

void unmap(std::byte* data, size_t bytes) { ::munmap(data, bytes); }

/// Maps one huge page more than asked and gives the unaligned ends back. `bytes` are whole pages.
std::byte* map_aligned(size_t bytes) {
  std::byte* data = map(bytes + kHugePage);
  if (data == nullptr) return nullptr;
  const auto address = reinterpret_cast<uintptr_t>(data);
  const size_t head = round_up(address, kHugePage) - address;
  if (head != 0) ::munmap(data, head);
  if (head != kHugePage) ::munmap(data + head + bytes, kHugePage - head);
  ::madvise(data + head, bytes, MADV_HUGEPAGE);
  return data + head;
}

/// Limit of the cgroup, or a huge number when there is none (cgroup v2, then v1).
size_t cgroup_memory() {
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    size_t bytes = 0;
    if (std::ifstream limit(file); limit >> bytes) return bytes;
  }
  return SIZE_MAX;
}

}  // namespace

size_t machine_memory_bytes() {
  static const size_t bytes = [] {
    const auto pages = static_cast<size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
    return std::min(pages * kPage, cgroup_memory());
  }();
  return bytes;
}

size_t HugeMemory::reserved_bytes(size_t bytes) const {
  // What doesn't fill a huge page at the end lies in small ones.
  return round_up(bytes == 0 ? 1 : bytes, kPage);
}

Result<Buffer> HugeMemory::allocate(size_t bytes) {
  const auto exhausted = [bytes] {
    return fail(Code::kResourceExhausted, "", fmt::format("cannot get {} bytes of memory", bytes));
  };
  // The kernel promises more than it has and kills who believes it.
  if (bytes > machine_memory_bytes())
    return fail(Code::kResourceExhausted, "",
                fmt::format("cannot get {} bytes of memory, this machine has {}", bytes,
                            machine_memory_bytes()));
  const size_t reserved = reserved_bytes(bytes);
  std::byte* data = reserved >= kHugePage ? map_aligned(reserved) : map(reserved);
  if (data == nullptr) return exhausted();
  return Buffer(data, reserved, unmap);
}

size_t huge_page_bytes() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string line; std::getline(rollup, line);) {
    if (line.rfind("AnonHugePages:", 0) == 0) return std::stoul(line.substr(14)) * 1024;
  }
  return 0;
}

}  // namespace legato
