#include "engine/weight_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/file.h"
#include "engine/engine_fixture.h"
#include "engine/section_hash.h"
#include "tests/support/thread_shortage.h"

namespace legato::engine {
namespace {

/// A file of several chunks; the section begins behind 4096 bytes and has padding behind it.
class WeightLoader : public testing::Test {
 protected:
  WeightLoader() {
    section_.file = &file_;
    section_.offset = 4096;
    section_.padded_bytes = 3 * kHashChunkBytes;
    section_.bytes = section_.padded_bytes - 1000;
  }
  static std::string content() {
    std::string bytes(3 * kHashChunkBytes + 4096, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 13 + i / 999);
    return bytes;
  }
  InputFile written() const {
    overwrite(path_, content_);
    return value_or_throw(InputFile::open(path_));
  }
  uint64_t expected() const {
    return section_checksum(std::as_bytes(std::span(content_)).subspan(4096));
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "file";
  std::string content_ = content();
  InputFile file_ = written();
  SectionRead section_;
};

TEST_F(WeightLoader, AnyNumberOfThreadsReadsTheSame) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::byte> target(section_.bytes + 1, std::byte{0xAA});
    section_.target = target.data();
    const auto checksum = read_section(section_, threads, nullptr);
    ASSERT_TRUE(checksum.ok());
    EXPECT_EQ(*checksum, expected());
    EXPECT_EQ(std::memcmp(target.data(), content_.data() + 4096, section_.bytes), 0);
    EXPECT_EQ(target.back(), std::byte{0xAA});
  }
}

TEST_F(WeightLoader, FewerThreadsThanAskedForReadTheSame) {
  const ThreadShortage shortage;
  std::vector<std::byte> target(section_.bytes);
  section_.target = target.data();
  EXPECT_EQ(*read_section(section_, 16, nullptr), expected());
}

TEST_F(WeightLoader, MappedBytesAreHashedInPlace) {
  const MappedFile file = value_or_throw(MappedFile::open(path_));
  section_.mapped = file.bytes().subspan(section_.offset);
  EXPECT_EQ(*read_section(section_, 2, nullptr), expected());
}

TEST_F(WeightLoader, ProgressRisesToTheWhole) {
  std::vector<uint64_t> seen;
  std::vector<std::byte> target(section_.bytes);
  section_.target = target.data();
  ASSERT_TRUE(read_section(section_, 1, [&](std::string_view, uint64_t done, uint64_t total) {
                EXPECT_EQ(total, section_.bytes);
                seen.push_back(done);
              }).ok());
  EXPECT_THAT(seen, testing::ElementsAre(kHashChunkBytes, 2 * kHashChunkBytes, section_.bytes));
}

TEST_F(WeightLoader, FileThatEndsEarlyIsCorrupt) {
  std::filesystem::resize_file(path_, 4096 + kHashChunkBytes);
  std::vector<std::byte> target(section_.bytes);
  section_.target = target.data();
  EXPECT_EQ(read_section(section_, 2, nullptr).status().code, Code::kCorrupt);
}

}  // namespace
}  // namespace legato::engine
