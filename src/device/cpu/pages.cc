#include "device/cpu/pages.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>

#include "base/checked.h"
#include "device/cpu/huge_memory.h"

namespace legato {

std::byte* map_at_huge_page(size_t bytes, int protection) {
  // One huge page more than asked, whose unaligned ends go back.
  void* data = ::mmap(nullptr, bytes + kHugePageBytes, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(data);
  const auto address = reinterpret_cast<uintptr_t>(data);
  const size_t head = round_up(address, kHugePageBytes) - address;
  if (head != 0) ::munmap(begin, head);
  if (head != kHugePageBytes) ::munmap(begin + head + bytes, kHugePageBytes - head);
  return begin + head;
}

Status check_fits_machine(size_t bytes, const std::string& where) {
  if (bytes <= machine_memory_bytes()) return {};
  return fail(Code::kResourceExhausted, where,
              fmt::format("cannot get {} bytes of memory, this machine has {}", bytes,
                          machine_memory_bytes()));
}

}  // namespace legato
