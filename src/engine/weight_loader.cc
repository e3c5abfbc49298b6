#include "engine/weight_loader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/checked.h"
#include "base/hash.h"
#include "engine/file_layout.h"
#include "engine/section_hash.h"

namespace legato::engine {
namespace {

/// Bytes that are read and hashed at a time: small enough to be hashed from the cache.
constexpr uint64_t kPieceBytes = uint64_t{256} << 10;

/// The chunks of one section, claimed one by one by the threads that read them.
class SectionReader {
 public:
  explicit SectionReader(const SectionRead& section)
      : section_(section), hashes_(ceil_div(section.padded_bytes, kHashChunkBytes)) {}

  /// What each thread does: reads chunks until none is left or one failed.
  void work(const Progress& progress) {
    while (!failed_.load(std::memory_order_relaxed)) {
      const size_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= hashes_.size()) return;
      if (const Status status = read_chunk(chunk); !status.ok()) {
        const std::lock_guard lock(mutex_);
        if (status_.ok()) status_ = status;
        failed_.store(true, std::memory_order_relaxed);
        return;
      }
      const size_t done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
      if (progress)
        progress("load", std::min<uint64_t>(done * kHashChunkBytes, section_.bytes),
                 section_.bytes);
    }
  }

  Result<uint64_t> checksum() const {
    if (!status_.ok()) return status_;
    return combine_chunk_hashes(hashes_);
  }

 private:
  Status read_chunk(size_t chunk) {
    const uint64_t begin = chunk * kHashChunkBytes;
    const uint64_t end = std::min(begin + kHashChunkBytes, section_.padded_bytes);
    Hasher hasher;
    for (uint64_t at = begin; at < end; at += kPieceBytes)
      LEGATO_RETURN_IF_ERROR(read_piece(at, std::min(end, at + kPieceBytes), hasher));
    hashes_[chunk] = hasher.digest();
    return {};
  }

  Status read_piece(uint64_t begin, uint64_t end, Hasher& hasher) {
    if (section_.target == nullptr) {
      hasher.update(section_.mapped.subspan(begin, end - begin));
      return {};
    }
    if (const uint64_t data_end = std::min(end, section_.bytes); begin < data_end) {
      const std::span data(section_.target + begin, data_end - begin);
      LEGATO_RETURN_IF_ERROR(read_at(begin, data));
      hasher.update(data);
      begin = data_end;
    }
    if (begin == end) return {};
    std::array<std::byte, kSectionAlignment> padding;
    const std::span rest(padding.data(), end - begin);
    LEGATO_RETURN_IF_ERROR(read_at(begin, rest));
    hasher.update(rest);
    return {};
  }

  Status read_at(uint64_t at, std::span<std::byte> out) const {
    while (!out.empty()) {
      const auto offset = static_cast<off_t>(section_.offset + at);
      const ssize_t got = ::pread(section_.file->descriptor(), out.data(), out.size(), offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        return fail(Code::kIo, section_.file->path(),
                    fmt::format("cannot read: {}", std::strerror(errno)));
      if (got == 0)
        return fail(Code::kCorrupt, section_.file->path(),
                    fmt::format("ends at byte {}, expected {} bytes more", offset, out.size()));
      out = out.subspan(static_cast<size_t>(got));
      at += static_cast<uint64_t>(got);
    }
    return {};
  }

  const SectionRead& section_;
  std::vector<uint64_t> hashes_;
  std::atomic<size_t> next_{0};
  std::atomic<size_t> done_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  Status status_;  ///< the first failure; guarded by mutex_ while threads run
};

}  // namespace

Result<uint64_t> read_section(const SectionRead& section, int threads, const Progress& progress) {
  SectionReader reader(section);
  std::vector<std::thread> helpers;
  try {
    for (int i = 1; i < threads; ++i) helpers.emplace_back([&reader] { reader.work(nullptr); });
  } catch (const std::system_error&) {
    // Fewer threads than asked for read as well, only slower.
  }
  reader.work(progress);
  for (std::thread& helper : helpers) helper.join();
  return reader.checksum();
}

}  // namespace legato::engine
