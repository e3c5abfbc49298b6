#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace legato {
namespace {

Status io_failure(const std::string& path, const char* what) {
  const int error = errno;
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound
                    : error == ENOSPC || error == EDQUOT || error == EFBIG
                        ? Code::kResourceExhausted
                        : Code::kIo;
  return fail(code, path, fmt::format("cannot {}: {}", what, std::strerror(error)));
}

/// Owns a file descriptor within one function.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Status write_all(int fd, std::span<const std::byte> bytes, uint64_t offset,
                 const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return io_failure(path, "write");
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return {};
}

std::string folder_of(const std::filesystem::path& path) {
  const std::string folder = path.parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A name beside `path` that no other writer of this machine uses at the same time.
std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  return fmt::format("{}.tmp-{}-{}", path, ::getpid(), counter++);
}

std::string descriptor_path(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

/// A file without a name, so that even a killed process leaves nothing behind; -1 where the file
/// system has none or its descriptors can't be given a name later.
int open_unnamed(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 || ::access(descriptor_path(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

}  // namespace

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  InputFile file;
  file.path_ = path.string();
  file.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.fd_ < 0) return io_failure(file.path_, "open");
  LEGATO_RETURN_IF_ERROR(file.size().status());
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<size_t> InputFile::size() const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return io_failure(path_, "read its size");
  if (!S_ISREG(info.st_mode)) return fail(Code::kInvalidArgument, path_, "is not a regular file");
  return static_cast<size_t>(info.st_size);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  LEGATO_ASSIGN_OR_RETURN(const InputFile file, InputFile::open(path));
  return map(file);
}

Result<MappedFile> MappedFile::map(const InputFile& file) {
  MappedFile mapped;
  mapped.path_ = file.path();
  LEGATO_ASSIGN_OR_RETURN(const size_t size, file.size());
  if (size == 0) return mapped;
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (data == MAP_FAILED) return io_failure(mapped.path_, "map");
  mapped.data_ = static_cast<const std::byte*>(data);
  mapped.size_ = size;
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release(size_t offset, size_t size) const {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t first = (offset + page - 1) / page * page;
  const size_t end = (offset + size) / page * page;
  if (first < end) ::madvise(const_cast<std::byte*>(data_) + first, end - first, MADV_DONTNEED);
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
  AtomicFile file;
  file.path_ = path.string();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(Code::kInvalidArgument, file.path_,
                "is a folder, expected the name of a file to write");
  // The rename would put a plain file in a device's place.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    return fail(Code::kInvalidArgument, file.path_,
                "is a device or pipe, expected the name of a file to write");
  file.fd_ = open_unnamed(folder_of(path));
  if (file.fd_ < 0) {
    file.temporary_ = temporary_name(file.path_) + "-XXXXXX";
    file.fd_ = ::mkostemp(file.temporary_.data(), O_CLOEXEC);
  }
  if (file.fd_ < 0) {
    file.temporary_.clear();
    return io_failure(file.path_, "create");
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file.fd_, 0666 & ~mask);
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  discard();
  fd_ = std::exchange(other.fd_, -1);
  size_ = other.size_;
  path_ = std::move(other.path_);
  temporary_ = std::exchange(other.temporary_, {});
  return *this;
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  LEGATO_RETURN_IF_ERROR(write_all(fd_, bytes, size_, path_));
  size_ += bytes.size();
  return {};
}

Status AtomicFile::write_at(uint64_t offset, std::span<const std::byte> bytes) {
  return write_all(fd_, bytes, offset, path_);
}

Status AtomicFile::commit() {
  if (::fsync(fd_) != 0) return io_failure(path_, "flush to disk");
  if (temporary_.empty()) {
    std::string name = temporary_name(path_);
    ::unlink(name.c_str());
    if (::linkat(AT_FDCWD, descriptor_path(fd_).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) != 0)
      return io_failure(path_, "create");
    temporary_ = std::move(name);
  }
  if (::close(std::exchange(fd_, -1)) != 0) return io_failure(path_, "close");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return io_failure(path_, "rename into place");
  temporary_.clear();
  const Descriptor fd(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
  return {};
}

Result<std::string> read_file(const std::filesystem::path& path, uint64_t max_bytes) {
  LEGATO_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path));
  if (file.bytes().size() > max_bytes)
    return fail(Code::kMalformed, file.path(),
                fmt::format("is {} bytes, expected at most {}", file.bytes().size(), max_bytes));
  return std::string(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
}

}  // namespace legato
