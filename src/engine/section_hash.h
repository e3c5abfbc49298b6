#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"

namespace legato::engine {

/// A section's checksum is the hash of the hashes of its chunks (the last one may be shorter), so
/// that it can be computed while the section is written and by several threads when it is read.
inline constexpr uint64_t kHashChunkBytes = uint64_t{4} << 20;

/// Checksum from the hashes of all chunks, in order.
uint64_t combine_chunk_hashes(std::span<const uint64_t> hashes);

/// Checksum of a section that lies in memory, padding included.
uint64_t section_checksum(std::span<const std::byte> bytes);

/// The same for bytes that arrive in pieces of any size. One thread.
class SectionHasher {
 public:
  void update(std::span<const std::byte> bytes);
  uint64_t digest();

 private:
  void close_chunk();

  Hasher chunk_;
  uint64_t chunk_bytes_ = 0;
  std::vector<uint64_t> hashes_;
};

}  // namespace legato::engine
