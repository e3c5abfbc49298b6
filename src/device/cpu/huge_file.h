#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/status.h"

namespace legato {

/// A part of a file as private, read-only-by-contract memory that is there at once, from the page
/// cache, and moves into huge pages meanwhile: a thread copies it piece by piece and puts each copy
/// in the place of what it copied, so that addresses stay and readers notice nothing. What has
/// moved no longer depends on the file. One copy is resident at any time, but for a piece.
class HugeFile {
 public:
  /// Maps [offset, offset + bytes) of the file, which may be closed after; `offset` is a multiple
  /// of 4096. The start is aligned to a huge page. kCorrupt when the file ends before the part
  /// does; kResourceExhausted when there is less memory or address space.
  static Result<std::unique_ptr<HugeFile>> map(const InputFile& file, size_t offset, size_t bytes);

  HugeFile(const HugeFile&) = delete;
  HugeFile& operator=(const HugeFile&) = delete;
  /// Stops the move.
  ~HugeFile();

  const std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  /// Begins the move, which ends early rather than leave the machine less than `memory_left` bytes:
  /// the file's pages could be given up when memory is short, copies cannot. Once.
  void start_moving(size_t memory_left = kMemoryLeft);
  /// Waits until the move, which has to have begun, has ended; what kept a piece from moving, if
  /// something did. The data are the same either way, only slower to read. Any thread.
  Status wait_until_moved() const;

 private:
  static constexpr size_t kMemoryLeft = size_t{128} << 20;

  HugeFile(std::string path, std::byte* data, size_t bytes);
  void move_all(size_t memory_left);
  void end_move(Status status);
  Status check_memory(size_t memory_left) const;
  Status move_piece(size_t begin, size_t end);

  std::string path_;
  std::byte* data_;
  size_t bytes_;
  std::thread mover_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> moved_{false};
  Status status_;  ///< written before moved_
};

}  // namespace legato
