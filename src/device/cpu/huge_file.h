#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include "base/status.h"

namespace legato {

/// A part of a file as private, read-only-by-contract memory that is there at once, from the page
/// cache, and moves into huge pages meanwhile: a thread copies it piece by piece and puts each copy
/// in the place of what it copied, so that addresses stay and readers notice nothing. What has
/// moved no longer depends on the file. One copy is resident at any time, but for a piece.
class HugeFile {
 public:
  /// Maps [offset, offset + bytes) of the file; `offset` is a multiple of 4096 and the part ends
  /// within the file. The start is aligned to a huge page. kNotFound, kIo; kResourceExhausted when
  /// there is less memory or address space.
  static Result<std::unique_ptr<HugeFile>> map(const std::string& path, size_t offset,
                                               size_t bytes);

  HugeFile(const HugeFile&) = delete;
  HugeFile& operator=(const HugeFile&) = delete;
  /// Stops the move.
  ~HugeFile();

  const std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  /// Begins the move. Once.
  void start_moving();
  /// Waits until the move has ended; what kept a piece from moving, if something did. The data are
  /// the same either way, only slower to read.
  Status wait_until_moved() const;

 private:
  HugeFile(std::string path, std::byte* data, size_t bytes);
  void move_all();
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
