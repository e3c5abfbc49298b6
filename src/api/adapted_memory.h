#pragma once

#include <memory>

#include "device/buffer.h"
#include "legato/memory.h"

namespace legato::api {

/// The caller's memory as an Allocator. Judges what it returns: alignment and null. Any thread.
class AdaptedMemory : public Allocator {
 public:
  explicit AdaptedMemory(MemorySource& source) : source_(&source) {}
  Result<Buffer> allocate(size_t bytes) override;
  size_t reserved_bytes(size_t bytes) const override { return source_->reserved_bytes(bytes); }

 private:
  MemorySource* source_;
};

/// The caller's memory, or huge pages of the operating system when `source` is null.
std::unique_ptr<Allocator> make_allocator(MemorySource* source);

}  // namespace legato::api
