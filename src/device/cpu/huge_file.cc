#include "device/cpu/huge_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/checked.h"
#include "device/cpu/huge_memory.h"

namespace legato {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;
/// A moved piece stays a mapping of its own, of which a process has 65530 by default.
constexpr size_t kMostPieces = 2048;
/// Asking how much memory is left takes as long as moving some hundred KiB.
constexpr size_t kBytesBetweenChecks = size_t{32} << 20;
/// The mover leaves the cores to those who compute, if somebody does.
constexpr int kMoverNiceness = 10;

/// Address space for `bytes` at a huge page's boundary; null when there is none.
std::byte* reserve_aligned(size_t bytes, int protection) {
  void* data = ::mmap(nullptr, bytes + kHugePage, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(data);
  const auto address = reinterpret_cast<uintptr_t>(data);
  const size_t head = round_up(address, kHugePage) - address;
  if (head != 0) ::munmap(begin, head);
  if (head != kHugePage) ::munmap(begin + head + bytes, kHugePage - head);
  return begin + head;
}

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
  if (bytes > machine_memory_bytes())
    return fail(Code::kResourceExhausted, path,
                fmt::format("cannot get {} bytes of memory, this machine has {}", bytes,
                            machine_memory_bytes()));
  const size_t mapped = round_up(std::max<size_t>(bytes, 1), kPage);
  LEGATO_RETURN_IF_ERROR(check_end(file, offset + bytes));
  std::byte* data = reserve_aligned(mapped, PROT_NONE);
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
  ::munmap(data_, round_up(std::max<size_t>(bytes_, 1), kPage));
}

void HugeFile::start_moving(size_t memory_left) {
  try {
    mover_ = std::thread([this, memory_left] { move_all(memory_left); });
  } catch (const std::system_error& error) {
    status_ = fail(Code::kResourceExhausted, path_,
                   fmt::format("cannot start a thread: {}", error.what()));
    moved_.store(true);
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
  const size_t piece = round_up(std::max<size_t>(bytes_ / kMostPieces, 1), kHugePage);
  for (size_t begin = 0; begin < bytes_ && status_.ok() && !stop_.load(); begin += piece) {
    if (begin % round_up(kBytesBetweenChecks, piece) == 0) status_ = check_memory(memory_left);
    if (status_.ok()) status_ = move_piece(begin, std::min(bytes_, begin + piece));
  }
  moved_.store(true);
  moved_.notify_all();
}

Status HugeFile::move_piece(size_t begin, size_t end) {
  const size_t mapped = round_up(end - begin, kPage);
  std::byte* copy = reserve_aligned(mapped, PROT_READ | PROT_WRITE);
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
