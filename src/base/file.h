#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace legato {

/// A regular file open for reading: one and the same, whatever its path names later. Move-only. Any
/// thread.
class InputFile {
 public:
  /// kNotFound, kIo; a folder or device is kInvalidArgument. A pipe is not waited for.
  static Result<InputFile> open(const std::filesystem::path& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  int descriptor() const { return fd_; }
  const std::string& path() const { return path_; }
  /// Bytes that it has now.
  Result<size_t> size() const;

 private:
  InputFile() = default;

  int fd_ = -1;
  std::string path_;
};

/// A whole file mapped read-only. Move-only; the mapping lives as long as the object. Any thread
/// may read. The file may be renamed over or removed meanwhile, but not cut: reading what is behind
/// its new end kills the process.
class MappedFile {
 public:
  /// As InputFile::open() and map().
  static Result<MappedFile> open(const std::filesystem::path& path);
  /// The file may be closed after. An empty file maps to an empty span; kIo when it can't be
  /// mapped.
  static Result<MappedFile> map(const InputFile& file);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }
  /// Drops the resident pages of [offset, offset + size); a later read faults them in again.
  void release(size_t offset, size_t size) const;

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::string path_;
};

/// Writes a file so that nobody ever sees half of it: a temporary file in the same folder, flushed
/// to disk and renamed over `path` by commit(). Without commit() the destructor removes the
/// temporary file. One thread.
class AtomicFile {
 public:
  /// `path` may name nothing or a plain file; a folder or device is kInvalidArgument, kNotFound
  /// when its folder isn't there, kResourceExhausted or kIo otherwise.
  static Result<AtomicFile> create(const std::filesystem::path& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  /// Appends; kResourceExhausted when the disk is full, kIo otherwise.
  Status write(std::span<const std::byte> bytes);
  /// Overwrites bytes that were appended before.
  Status write_at(uint64_t offset, std::span<const std::byte> bytes);
  uint64_t size() const { return size_; }
  /// Afterwards only destruction is allowed, whether it failed or not.
  Status commit();

 private:
  AtomicFile() = default;
  void discard();

  int fd_ = -1;
  uint64_t size_ = 0;
  std::string path_;
  std::string temporary_;
};

/// Reads a small file whole; refuses one above `max_bytes` with kMalformed before reading it.
Result<std::string> read_file(const std::filesystem::path& path, uint64_t max_bytes);

}  // namespace legato
