#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/file.h"
#include "base/progress.h"
#include "base/status.h"

namespace legato::engine {

/// A section on its way into memory: chunks of kHashChunkBytes, shared by threads.
struct SectionRead {
  const InputFile* file = nullptr;
  uint64_t offset = 0;  ///< of the section in the file
  uint64_t bytes = 0;   ///< of the section, without the padding behind it
  uint64_t padded_bytes = 0;
  std::byte* target = nullptr;          ///< room for `bytes`; null: `mapped` is hashed in place
  std::span<const std::byte> mapped{};  ///< the section and its padding
};

/// Reads the section into its target, or hashes it where it is mapped, and returns its checksum,
/// padding included. `threads` threads work, the caller's among them, which also reports progress.
Result<uint64_t> read_section(const SectionRead& section, int threads, const Progress& progress);

}  // namespace legato::engine
