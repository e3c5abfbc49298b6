#include "tests/conformance/guarded_memory.h"

#include <sys/mman.h>

#include <cstring>

#include "base/checked.h"
#include "base/status.h"

namespace legato::conformance {

Buffer guarded_memory(size_t bytes, size_t alignment) {
  constexpr size_t kPage = 4096;
  const size_t used = round_up(bytes, alignment);
  const size_t mapped = round_up(used, kPage);
  void* base =
      mmap(nullptr, mapped + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(static_cast<char*>(base) + mapped, kPage, PROT_NONE) != 0)
    throw Error(Code::kResourceExhausted, "guarded memory", "mmap failed");
  std::memset(base, 0xff, mapped);
  return Buffer(static_cast<std::byte*>(base) + mapped - used, bytes,
                [base, mapped](std::byte*, size_t) { munmap(base, mapped + kPage); });
}

}  // namespace legato::conformance
