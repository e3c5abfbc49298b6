#pragma once

#include "device/buffer.h"

namespace legato {

/// Host memory for weights, cache and workspace, in whole pages. Requests of 2 MiB and more begin
/// at a huge page and are advised so; smaller ones are plain pages. Any thread.
class HugeMemory : public Allocator {
 public:
  Result<Buffer> allocate(size_t bytes) override;
  size_t reserved_bytes(size_t bytes) const override;
};

/// Bytes of memory that this process may ever have: the machine's, cut by the cgroup's limit.
size_t machine_memory_bytes();

/// Bytes that can be had now without swapping, the page cache given up: the machine's, cut by what
/// the cgroup's limit leaves. SIZE_MAX when the system doesn't say.
size_t available_memory_bytes();

/// Bytes of this process's memory that lie in huge pages now (AnonHugePages of
/// /proc/self/smaps_rollup).
size_t huge_page_bytes();

}  // namespace legato
