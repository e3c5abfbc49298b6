#include "engine/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "engine/engine.h"
#include "engine/engine_fixture.h"
#include "engine/section_hash.h"

namespace legato::engine {
namespace {

using testing::HasSubstr;

TEST(EngineWriter, BytesDoNotDependOnHowTheWeightsArrive) {
  const TemporaryFolder folder;
  const EngineSpec spec = small_spec();
  ASSERT_TRUE(write_engine(folder / "whole", spec).ok());
  for (const size_t piece : {1u, 7u, 160u, 500u}) {
    auto writer = EngineWriter::create(folder / "pieces", spec, "tokenizer bytes");
    ASSERT_TRUE(writer.ok());
    const auto data = weight_data(spec);
    for (size_t at = 0; at < data.size(); at += piece)
      ASSERT_TRUE(
          writer->write_weight_bytes(std::span(data).subspan(at, std::min(piece, data.size() - at)))
              .ok());
    const uint64_t promised = writer->bytes();
    ASSERT_TRUE(writer->finish().ok());
    EXPECT_EQ(file_bytes(folder / "pieces"), file_bytes(folder / "whole"));
    EXPECT_EQ(promised, std::filesystem::file_size(folder / "pieces"));
  }
}

TEST(EngineWriter, LeavesNothingWithoutFinish) {
  const TemporaryFolder folder;
  {
    auto writer = EngineWriter::create(folder / "x", small_spec(), "");
    ASSERT_TRUE(writer.ok());
    EXPECT_FALSE(std::filesystem::exists(folder / "x"));
  }
  EXPECT_EQ(folder.num_files(), 0u);
}

TEST(EngineWriter, MissingAndSurplusBytesAreRefused) {
  const TemporaryFolder folder;
  const auto data = weight_data(small_spec());
  {
    auto writer = EngineWriter::create(folder / "x", small_spec(), "");
    ASSERT_TRUE(writer->write_weight_bytes(std::span(data).first(data.size() - 1)).ok());
    const Status status = writer->finish();
    EXPECT_EQ(status.code, Code::kInternal);
    EXPECT_THAT(status.message, HasSubstr("weight scale got 11 bytes, expected 12"));
  }
  auto writer = EngineWriter::create(folder / "x", small_spec(), "");
  ASSERT_TRUE(writer->write_weight_bytes(data).ok());
  EXPECT_EQ(writer->write_weight_bytes(std::span(data).first(1)).code, Code::kInternal);
}

TEST(EngineWriter, RefusesWhatAReaderWould) {
  const TemporaryFolder folder;
  EngineSpec spec = small_spec();
  spec.values[3].index = 9;
  Status status = EngineWriter::create(folder / "x", spec, "").status();
  EXPECT_EQ(status.code, Code::kInvalidArgument);
  EXPECT_THAT(status.message, HasSubstr("value hidden lies in slot 9 of 2"));
  spec = small_spec();
  spec.weights[0].name = "two\nlines";
  status = EngineWriter::create(folder / "x", spec, "").status();
  EXPECT_EQ(status.code, Code::kInvalidArgument);
  EXPECT_EQ(folder.num_files(), 0u);
}

TEST(EngineWriter, FullDiskIsNamedAndLeavesNoFile) {
  const TemporaryFolder folder;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit limit{10000, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Status status = write_engine(folder / "x", small_spec());
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(status.code, Code::kResourceExhausted) << status.to_string();
  EXPECT_EQ(folder.num_files(), 0u);
}

TEST(EngineWriter, KeepsTheOldFileUntilTheNewOneIsComplete) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_engine(folder / "x", small_spec()).ok());
  const std::string before = file_bytes(folder / "x");
  { auto writer = EngineWriter::create(folder / "x", small_spec(), "other"); }
  EXPECT_EQ(file_bytes(folder / "x"), before);
}

TEST(SectionHasher, DoesNotDependOnThePieces) {
  std::vector<std::byte> data(2 * kHashChunkBytes + 12345);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 31 + (i >> 12));
  const uint64_t whole = section_checksum(data);
  SectionHasher hasher;
  for (size_t at = 0; at < data.size();) {
    const size_t take = std::min<size_t>(1'000'003, data.size() - at);
    hasher.update(std::span(data).subspan(at, take));
    at += take;
  }
  EXPECT_EQ(hasher.digest(), whole);
  const uint64_t chunks[] = {hash_bytes(std::span(data).first(kHashChunkBytes)),
                             hash_bytes(std::span(data).subspan(kHashChunkBytes, kHashChunkBytes)),
                             hash_bytes(std::span(data).subspan(2 * kHashChunkBytes))};
  EXPECT_EQ(combine_chunk_hashes(chunks), whole);
}

}  // namespace
}  // namespace legato::engine
