#include "engine/section_hash.h"

#include <algorithm>

namespace legato::engine {

uint64_t combine_chunk_hashes(std::span<const uint64_t> hashes) {
  return hash_bytes(std::as_bytes(hashes));
}

uint64_t section_checksum(std::span<const std::byte> bytes) {
  SectionHasher hasher;
  hasher.update(bytes);
  return hasher.digest();
}

void SectionHasher::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t take = std::min<size_t>(bytes.size(), kHashChunkBytes - chunk_bytes_);
    chunk_.update(bytes.first(take));
    chunk_bytes_ += take;
    bytes = bytes.subspan(take);
    if (chunk_bytes_ == kHashChunkBytes) close_chunk();
  }
}

void SectionHasher::close_chunk() {
  hashes_.push_back(chunk_.digest());
  chunk_ = Hasher();
  chunk_bytes_ = 0;
}

uint64_t SectionHasher::digest() {
  if (chunk_bytes_ != 0) close_chunk();
  return combine_chunk_hashes(hashes_);
}

}  // namespace legato::engine
