#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "tests/support/temporary_folder.h"

namespace legato {
namespace {

class FileTest : public testing::Test {
 protected:
  static std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }

  const TemporaryFolder folder_;
};

TEST_F(FileTest, CommittedFileHoldsWhatWasWritten) {
  auto file = AtomicFile::create(folder_ / "a.bin");
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  ASSERT_TRUE(file->write(bytes_of("hello world")).ok());
  ASSERT_TRUE(file->write_at(0, bytes_of("J")).ok());
  ASSERT_TRUE(file->commit().ok());
  const auto text = read_file(folder_ / "a.bin", 100);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "Jello world");
  EXPECT_EQ(folder_.num_files(), 1u);
}

TEST_F(FileTest, AbandonedFileLeavesTheOldOneAndNothingElse) {
  {
    auto old_file = AtomicFile::create(folder_ / "a.bin");
    ASSERT_TRUE(old_file->write(bytes_of("old")).ok());
    ASSERT_TRUE(old_file->commit().ok());
    auto new_file = AtomicFile::create(folder_ / "a.bin");
    ASSERT_TRUE(new_file->write(bytes_of("new")).ok());
  }
  EXPECT_EQ(read_file(folder_ / "a.bin", 100).value(), "old");
  EXPECT_EQ(folder_.num_files(), 1u);
}

TEST_F(FileTest, NothingIsSeenBeforeCommit) {
  const auto file = AtomicFile::create(folder_ / "a.bin");
  ASSERT_TRUE(file.ok());
  // Where the file system knows files without a name, a killed process leaves nothing either.
  const int probe = ::open(folder_.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (probe < 0) GTEST_SKIP() << "no files without a name here";
  ::close(probe);
  EXPECT_EQ(folder_.num_files(), 0u);
}

TEST_F(FileTest, FullDiskIsAFailureThatLeavesNothing) {
  struct rlimit old_limit {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = old_limit;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  {
    auto file = AtomicFile::create(folder_ / "big.bin");
    ASSERT_TRUE(file.ok());
    const Status status = file->write(bytes_of(std::string(5000, 'x')));
    EXPECT_EQ(status.code, Code::kResourceExhausted) << status.to_string();
  }
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  EXPECT_EQ(folder_.num_files(), 0u);
}

TEST_F(FileTest, AnOpenFileStaysWhateverTakesItsName) {
  const auto write = [&](std::string_view text) {
    auto file = AtomicFile::create(folder_ / "a.bin");
    return file.ok() && file->write(bytes_of(text)).ok() && file->commit().ok();
  };
  ASSERT_TRUE(write("old"));
  const auto file = InputFile::open(folder_ / "a.bin");
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  ASSERT_TRUE(write("renamed over"));
  EXPECT_EQ(file->size().value(), 3u);
  const auto mapped = MappedFile::map(*file);
  ASSERT_TRUE(mapped.ok()) << mapped.status().to_string();
  EXPECT_EQ(std::memcmp(mapped->bytes().data(), "old", 3), 0);
  EXPECT_EQ(read_file(folder_ / "a.bin", 100).value(), "renamed over");
}

TEST_F(FileTest, ReleasedPagesAreReadAgain) {
  auto file = AtomicFile::create(folder_ / "a.bin");
  const std::string text(20000, 'x');
  ASSERT_TRUE(file.ok() && file->write(bytes_of(text)).ok() && file->commit().ok());
  const MappedFile mapped = MappedFile::open(folder_ / "a.bin").value();
  mapped.release(1, text.size() - 1);
  mapped.release(0, 0);
  EXPECT_EQ(std::memcmp(mapped.bytes().data(), text.data(), text.size()), 0);
}

TEST_F(FileTest, MissingFileFolderAndDeviceAreNamed) {
  EXPECT_EQ(MappedFile::open(folder_ / "none").status().code, Code::kNotFound);
  EXPECT_EQ(MappedFile::open(folder_.path()).status().code, Code::kInvalidArgument);
  EXPECT_EQ(MappedFile::open("/dev/zero").status().code, Code::kInvalidArgument);
  EXPECT_NE(MappedFile::open(folder_ / "none").status().to_string().find("none"),
            std::string::npos);
}

TEST_F(FileTest, TooLargeFileIsRefusedBeforeReading) {
  auto file = AtomicFile::create(folder_ / "a.bin");
  ASSERT_TRUE(file->write(bytes_of("12345")).ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(read_file(folder_ / "a.bin", 4).status().code, Code::kMalformed);
}

}  // namespace
}  // namespace legato
