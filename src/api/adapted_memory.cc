#include "api/adapted_memory.h"

#include <fmt/format.h>

#include "base/status.h"
#include "device/cpu/huge_memory.h"

namespace legato {
inline namespace v1 {

MemorySource::~MemorySource() = default;

}  // namespace v1

namespace api {
namespace {

constexpr uintptr_t kAlignment = 4096;

}  // namespace

Result<Buffer> AdaptedMemory::allocate(size_t bytes) {
  void* data = source_->allocate(bytes);
  if (data == nullptr) {
    return fail(Code::kResourceExhausted, "memory source", fmt::format("has no {} bytes", bytes));
  }
  MemorySource* source = source_;
  Buffer buffer(static_cast<std::byte*>(data), bytes,
                [source](std::byte* start, size_t size) { source->release(start, size); });
  if (reinterpret_cast<uintptr_t>(data) % kAlignment != 0) {
    return fail(Code::kInvalidArgument, "memory source",
                fmt::format("returned memory that is not aligned to {} bytes", kAlignment));
  }
  return buffer;
}

std::unique_ptr<Allocator> make_allocator(MemorySource* source) {
  if (source == nullptr) return std::make_unique<HugeMemory>();
  return std::make_unique<AdaptedMemory>(*source);
}

}  // namespace api
}  // namespace legato
