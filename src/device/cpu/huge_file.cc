#include "device/cpu/huge_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/checked.h"
#include "device/cpu/huge_memory.h"
#include "device/cpu/pages.h"

namespace legato {
namespace {

/// A moved piece stays a mapping of its own, of which a process has 65530 by default.
constexpr size_t kMostPieces = 2048;
/// Asking how much memory is left takes as long as moving some hundred KiB.
constexpr size_t kBytesBetweenChecks = size_t{32} << 20;
/// The mover leaves the cores to those who compute, if somebody does.
constexpr int kMoverNiceness = 10;

Status exhausted(const std::string& path, size_t bytes) {
  const int error = errno;
  return fail(Code::kResourceExhausted, path,
              fmt::format("cannot map {} bytes of it: {}", bytes, std::strerror(error)));
}

/// Reading what lies behind a file's end would kill the process.
Status check_end(const InputFile& file, size_t end) {
  LEGATO_ASSIGN_OR_RETURN(const size_t size, file.size());
  if (size >= end) return {};
  return fail(Code::kCorrupt, file.path(),
              fmt::format("is {} bytes, expected at least {}", size, end));
}

}  // namespace

Result<std::unique_ptr<HugeFile>> HugeFile::map(const InputFile& file, size_t offset,
                                                size_t bytes) {
  const std::string& path = file.path();
  LEGATO_RETURN_IF_ERROR(check_fits_machine(bytes, path));
  const size_t mapped = round_up(std::max<size_t>(bytes, 1), kPageBytes);
  LEGATO_RETURN_IF_ERROR(check_end(file, offset + bytes));
  std::byte* data = map_at_huge_page(mapped, PROT_NONE);
  if (data == nullptr) return exhausted(path, bytes);
  if (::mmap(data, mapped, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.descriptor(),
             static_cast<off_t>(offset)) == MAP_FAILED) {
    Status status = exhausted(path, bytes);
    ::munmap(data, mapped);
    return status;
  }
  return std::unique_ptr<HugeFile>(new HugeFile(path, data, bytes));
}

HugeFile::HugeFile(std::string path, std::byte* data, size_t bytes)
    : path_(std::move(path)), data_(data), bytes_(bytes) {}

HugeFile::~HugeFile() {
  stop_.store(true);
  if (mover_.joinable()) mover_.join();
  ::munmap(data_, round_up(std::max<size_t>(bytes_, 1), kPageBytes));
}

void HugeFile::start_moving(size_t memory_left) {
  try {
    mover_ = std::thread([this, memory_left] { move_all(memory_left); });
  } catch (const std::system_error& error) {
    end_move(fail(Code::kResourceExhausted, path_,
                  fmt::format("cannot start a thread: {}", error.what())));
  }
}

Status HugeFile::wait_until_moved() const {
  moved_.wait(false);
  return status_;
}

Status HugeFile::check_memory(size_t memory_left) const {
  const size_t available = available_memory_bytes();
  if (available >= memory_left) return {};
  return fail(Code::kResourceExhausted, path_,
              fmt::format("cannot move all of it into huge pages: {} bytes of memory are left, "
                          "expected {}",
                          available, memory_left));
}

void HugeFile::move_all(size_t memory_left) {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kMoverNiceness);
  const size_t piece = round_up(std::max<size_t>(bytes_ / kMostPieces, 1), kHugePageBytes);
  Status status;
  for (size_t begin = 0; begin < bytes_ && status.ok() && !stop_.load(); begin += piece) {
    if (begin % round_up(kBytesBetweenChecks, piece) == 0) status = check_memory(memory_left);
    if (status.ok()) status = move_piece(begin, std::min(bytes_, begin + piece));
  }
  end_move(std::move(status));
}

void HugeFile::end_move(Status status) {
  status_ = std::move(status);
  moved_.store(true);
  moved_.notify_all();
}

Status HugeFile::move_piece(size_t begin, size_t end) {
  const size_t mapped = round_up(end - begin, kPageBytes);
  std::byte* copy = map_at_huge_page(mapped, PROT_READ | PROT_WRITE);
  if (copy == nullptr) return exhausted(path_, end - begin);
  ::madvise(copy, mapped, MADV_HUGEPAGE);
  std::memcpy(copy, data_ + begin, end - begin);
  // The kernel holds the map of the address space from taking the old pages out until the new ones
  // are in: a reader in between waits for them.
  if (::mremap(copy, mapped, mapped, MREMAP_MAYMOVE | MREMAP_FIXED, data_ + begin) != MAP_FAILED)
    return {};
  const int error = errno;
  ::munmap(copy, mapped);
  return fail(
      Code::kResourceExhausted, path_,
      fmt::format("cannot move {} bytes into huge pages: {}", end - begin, std::strerror(error)));
}

}  // namespace legato
