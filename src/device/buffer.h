#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/status.h"

namespace legato {

/// Which kind of device executes an engine. The numbers are part of the engine file format.
enum class Backend : uint8_t { kCpu = 0 };

/// Owns a run of device memory and gives it back to where it came from. Move-only. Pointers into it
/// are views.
class Buffer {
 public:
  using Release = std::function<void(std::byte* data, size_t bytes)>;

  Buffer() = default;
  Buffer(std::byte* data, size_t bytes, Release release)
      : data_(data), bytes_(bytes), release_(std::move(release)) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr && release_) release_(data_, bytes_);
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void swap(Buffer& other) {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(release_, other.release_);
  }

  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  Release release_;
};

/// Where device memory comes from; the caller of a runtime may bring its own. Any thread.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// Zero-filled memory, aligned to at least 4096 bytes. kResourceExhausted names the size that was
  /// asked.
  virtual Result<Buffer> allocate(size_t bytes) = 0;
  /// Bytes that a request of this size really takes (rounded to pages): what a memory plan adds up.
  virtual size_t reserved_bytes(size_t bytes) const = 0;
};

}  // namespace legato
