#include "device/cpu/huge_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tests/support/thread_shortage.h"

namespace legato {
namespace {

constexpr size_t kOffset = 8192;

class HugeFileTest : public testing::Test {
 protected:
  void write(size_t bytes) {
    content_.resize(kOffset + bytes);
    for (size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<char>(i * 31 + i / 4099);
    std::ofstream(path_, std::ios::binary) << content_;
  }
  std::unique_ptr<HugeFile> map(size_t bytes) {
    return HugeFile::map(value_or_throw(InputFile::open(path_)), kOffset, bytes).value();
  }
  bool equal(const HugeFile& file) const {
    return std::memcmp(file.data(), content_.data() + kOffset, file.bytes()) == 0;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "file";
  std::string content_;
};

TEST_F(HugeFileTest, HoldsTheFileAtAnAlignedPlaceBeforeAndAfterTheMove) {
  for (const size_t bytes : {size_t{1}, size_t{4096}, size_t{2} << 20, (size_t{9} << 20) + 4711}) {
    write(bytes);
    const auto file = map(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file->data()) % (2u << 20), 0u);
    EXPECT_TRUE(equal(*file));
    file->start_moving();
    EXPECT_TRUE(file->wait_until_moved().ok());
    EXPECT_TRUE(equal(*file));
  }
}

TEST_F(HugeFileTest, WhatHasMovedDoesNotDependOnTheFile) {
  write(5 << 20);
  const auto file = map(5 << 20);
  file->start_moving();
  ASSERT_TRUE(file->wait_until_moved().ok());
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << "gone";
  EXPECT_TRUE(equal(*file));
}

TEST_F(HugeFileTest, ReadersNoticeNothingOfTheMove) {
  constexpr size_t kBytes = size_t{64} << 20;
  write(kBytes);
  const auto file = map(kBytes);
  std::atomic<bool> go_on{true};
  std::atomic<int> wrong{0}, passes{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      while (go_on || passes == 0) {
        wrong += !equal(*file);
        ++passes;
      }
    });
  file->start_moving();
  ASSERT_TRUE(file->wait_until_moved().ok());
  go_on = false;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(equal(*file));
}

TEST_F(HugeFileTest, MayGoWhileItMoves) {
  write(32 << 20);
  for (int i = 0; i < 20; ++i) map(32 << 20)->start_moving();
}

TEST_F(HugeFileTest, StaysWhereItIsWhenMemoryWouldRunOut) {
  write(5 << 20);
  const auto file = map(5 << 20);
  file->start_moving(SIZE_MAX);
  EXPECT_EQ(file->wait_until_moved().code, Code::kResourceExhausted);
  EXPECT_TRUE(equal(*file));
}

TEST_F(HugeFileTest, StaysWhereItIsWhenTheThreadCannotBeStarted) {
  write(5 << 20);
  const ThreadShortage shortage;
  std::vector<std::unique_ptr<HugeFile>> files;  // the first may take the few threads there are
  Status status;
  for (int i = 0; i < 16 && status.ok(); ++i) {
    files.push_back(map(5 << 20));
    files.back()->start_moving();
    status = files.back()->wait_until_moved();
  }
  EXPECT_EQ(status.code, Code::kResourceExhausted);
  EXPECT_THAT(status.message, testing::HasSubstr("cannot start a thread"));
  EXPECT_TRUE(equal(*files.back()));
}

TEST_F(HugeFileTest, RefusesWhatIsNotThere) {
  write(100);
  const InputFile file = value_or_throw(InputFile::open(path_));
  const auto huge = HugeFile::map(file, 0, SIZE_MAX);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.status().code, Code::kResourceExhausted);
  const auto behind = HugeFile::map(file, kOffset, 101);
  ASSERT_FALSE(behind.ok());
  EXPECT_EQ(behind.status().code, Code::kCorrupt);
  EXPECT_EQ(behind.status().message, "is 8292 bytes, expected at least 8293");
}

}  // namespace
}  // namespace legato
