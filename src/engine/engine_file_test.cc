#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "base/hash.h"
#include "device/cpu/huge_memory.h"
#include "engine/engine.h"
#include "engine/engine_fixture.h"
#include "engine/file_layout.h"
#include "engine/section_hash.h"

namespace legato::engine {
namespace {

using testing::HasSubstr;

class EngineFile : public testing::Test {
 protected:
  void SetUp() override { throw_if_failed(write_engine(path_, small_spec())); }

  Status load(Allocator* allocator = nullptr, CpuLevel level = CpuLevel::kAvx512Vnni) {
    LoadOptions options;
    options.allocator = allocator;
    options.cpu_level = level;
    options.threads = 2;
    return Engine::load(path_, options).status();
  }

  /// Writes a changed header, its checksum made right again.
  void set_header(size_t offset, std::string_view bytes) {
    std::string file = file_bytes(path_);
    file.replace(offset, bytes.size(), bytes);
    const uint64_t hash = hash_bytes(std::as_bytes(std::span(file).first(kHeaderBytes - 8)));
    std::memcpy(file.data() + kHeaderBytes - 8, &hash, 8);
    overwrite(path_, file);
  }

  /// Writes a 1 to byte `at` of section `index`, all checksums made right again.
  void set_section_byte(size_t index, uint64_t at) {
    const SectionInfo section = value_or_throw(Engine::open(path_))->sections()[index];
    std::string file = file_bytes(path_);
    file[section.offset + at] = 1;
    const std::span bytes = std::as_bytes(std::span(file));
    const uint64_t checksum =
        section_checksum(bytes.subspan(section.offset, padded_end(section) - section.offset));
    std::memcpy(file.data() + 64 + 40 * index + 32, &checksum, 8);
    overwrite(path_, file);
    set_header(0, std::string_view(file).substr(0, 8));
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "small.engine";
};

TEST_F(EngineFile, ReadsBackWhatWasWritten) {
  const auto engine = Engine::open(path_);
  ASSERT_TRUE(engine.ok()) << engine.status().to_string();
  EXPECT_EQ((*engine)->spec(), small_spec());
  EXPECT_EQ((*engine)->weights(), nullptr);
  EXPECT_EQ((*engine)->file_bytes(), std::filesystem::file_size(path_));
  EXPECT_EQ((*engine)->fingerprint().size(), 32u);
  const auto text = (*engine)->tokenizer();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(text.data()), text.size()),
            "tokenizer bytes");
}

TEST_F(EngineFile, WeightsAreTheSameMappedAndInMemory) {
  HugeMemory memory;
  for (Allocator* allocator :
       {static_cast<Allocator*>(nullptr), static_cast<Allocator*>(&memory)}) {
    LoadOptions options;
    options.allocator = allocator;
    const auto engine = Engine::load(path_, options);
    ASSERT_TRUE(engine.ok()) << engine.status().to_string();
    size_t at = 0;
    for (const WeightSpec& weight : (*engine)->spec().weights) {
      for (size_t i = 0; i < weight.bytes; ++i)
        ASSERT_EQ((*engine)->weights()[weight.offset + i], test_byte(at++)) << weight.name;
    }
    for (uint64_t i = 160; i < 192; ++i) EXPECT_EQ((*engine)->weights()[i], std::byte{0});
  }
}

TEST_F(EngineFile, EqualContentGivesEqualBytes) {
  ASSERT_TRUE(write_engine(folder_ / "again.engine", small_spec()).ok());
  EXPECT_EQ(file_bytes(path_), file_bytes(folder_ / "again.engine"));
  EngineSpec other = small_spec();
  other.build_options = "precision=fp16";
  ASSERT_TRUE(write_engine(folder_ / "other.engine", other).ok());
  EXPECT_NE((*Engine::open(path_))->fingerprint(),
            (*Engine::open(folder_ / "other.engine"))->fingerprint());
}

TEST_F(EngineFile, FlippedBitAnywhereIsOneTypedErrorThatNamesBothSides) {
  const std::string good = file_bytes(path_);
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  HugeMemory memory;
  for (size_t at = 0; at < good.size(); ++at) {
    if (at > 0) file.seekp(static_cast<std::streamoff>(at) - 1).put(good[at - 1]);
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(good[at] ^ (1 << (at % 8))));
    file.flush();
    const Status status = load(at % 2 == 0 ? &memory : nullptr);
    ASSERT_FALSE(status.ok()) << "byte " << at;
    const Code expected = at < 8    ? Code::kMalformed
                          : at < 12 ? Code::kVersionMismatch
                                    : Code::kCorrupt;
    ASSERT_EQ(status.code, expected) << "byte " << at << ": " << status.to_string();
    ASSERT_THAT(status.where, HasSubstr("small.engine"));
    ASSERT_TRUE(status.message.find("expected") != std::string::npos ||
                status.message.find("its bytes give") != std::string::npos)
        << status.to_string();
    ASSERT_EQ(status.message.find('\n'), std::string::npos);
  }
}

TEST_F(EngineFile, EveryTruncationIsCorrupt) {
  for (size_t length = file_bytes(path_).size(); length-- > 0;) {
    std::filesystem::resize_file(path_, length);
    const Status status = Engine::open(path_).status();
    ASSERT_EQ(status.code, Code::kCorrupt) << length << ": " << status.to_string();
    ASSERT_THAT(status.message, HasSubstr("expected"));
  }
}

TEST_F(EngineFile, AnotherFileUnderItsNameDuringALoadIsNotMixedIn) {
  const std::filesystem::path next = folder_ / "next.engine";
  const std::filesystem::path sources[] = {folder_ / "long.engine", folder_ / "short.engine"};
  throw_if_failed(write_engine(sources[0], small_spec(), std::string(50000, 'x')));
  throw_if_failed(write_engine(sources[1], small_spec()));
  std::atomic<bool> go_on{true};
  std::thread replacer([&] {
    for (size_t i = 0; go_on; ++i) {
      std::filesystem::create_hard_link(sources[i % 2], next);
      std::filesystem::rename(next, path_);
    }
  });
  HugeMemory memory;
  for (int i = 0; i < 2000; ++i) {
    const Status status = load(i % 2 == 0 ? &memory : nullptr);
    EXPECT_TRUE(status.ok()) << status.to_string();
  }
  go_on = false;
  replacer.join();
}

TEST_F(EngineFile, TrailingBytesAreRefused) {
  overwrite(path_, file_bytes(path_) + '\0');
  const Status status = Engine::open(path_).status();
  EXPECT_EQ(status.code, Code::kCorrupt);
  EXPECT_THAT(status.message, HasSubstr("is 16385 bytes, expected the 16384"));
}

TEST_F(EngineFile, OtherVersionsAreNamedOnBothSides) {
  for (const char version : {char{0}, char{1}, char{127}}) {
    set_header(8, std::string_view(&version, 1));
    const Status status = Engine::open(path_).status();
    EXPECT_EQ(status.code, Code::kVersionMismatch);
    EXPECT_THAT(status.message, HasSubstr("version " + std::to_string(int{version})));
    EXPECT_THAT(status.message, HasSubstr("expected " + std::to_string(kFormatVersion)));
  }
}

TEST_F(EngineFile, OtherDeviceIsNamedOnBothSides) {
  set_header(16, std::string_view("cuda:sm_90", 10));
  const Status status = Engine::open(path_).status();
  EXPECT_EQ(status.code, Code::kDeviceMismatch);
  EXPECT_THAT(status.message, HasSubstr("is made for device cuda:sm_90, expected cpu"));
}

TEST_F(EngineFile, UnknownCpuLevelIsADeviceMismatch) {
  set_header(32, std::string_view("avx10\0", 6));
  const Status status = Engine::open(path_).status();
  EXPECT_EQ(status.code, Code::kDeviceMismatch);
  EXPECT_THAT(status.message, HasSubstr("needs CPU level avx10"));
}

TEST_F(EngineFile, MissingCpuLevelRefusesLoadButNotOpen) {
  EngineSpec spec = small_spec();
  spec.required_level = CpuLevel::kAvx512;
  ASSERT_TRUE(write_engine(path_, spec).ok());
  EXPECT_TRUE(Engine::open(path_).ok());
  EXPECT_TRUE(load(nullptr, CpuLevel::kAvx512).ok());
  const Status status = load(nullptr, CpuLevel::kAvx2);
  EXPECT_EQ(status.code, Code::kDeviceMismatch);
  EXPECT_THAT(status.message, HasSubstr("needs CPU level avx512, this machine runs at avx2"));
}

TEST_F(EngineFile, TableThatLeavesTheFileIsRefused) {
  // Offset and size of the first and last entry, each with a right header checksum.
  for (const size_t offset : {80u, 88u, 160u, 168u}) {
    for (const char* bytes : {"\xff\xff\xff\xff\xff\xff\xff\xff", "\0\0\0\0\0\0\0\x80"}) {
      throw_if_failed(write_engine(path_, small_spec()));
      set_header(offset, std::string_view(bytes, 8));
      EXPECT_EQ(load().code, Code::kMalformed) << offset;
    }
  }
}

TEST_F(EngineFile, ReservedBytesOfTheHeaderMustBeZero) {
  // Behind the device's and the level's text, the reserved word, behind a section's name and the
  // table, up to the checksum.
  for (const size_t offset : {31u, 47u, 56u, 63u, 79u, 184u, 2000u, 4087u}) {
    throw_if_failed(write_engine(path_, small_spec()));
    set_header(offset, "\1");
    const Status status = Engine::open(path_).status();
    EXPECT_EQ(status.code, Code::kMalformed) << offset;
    EXPECT_EQ(status.message, "header has 01 at byte " + std::to_string(offset) + ", expected 00");
  }
}

TEST_F(EngineFile, PaddingMustBeZeroWhateverTheChecksumsSay) {
  HugeMemory memory;
  const std::vector<SectionInfo> sections = value_or_throw(Engine::open(path_))->sections();
  ASSERT_EQ(sections.size(), 3u);
  size_t refused = 0;
  const auto expect_refused = [&](size_t index, uint64_t at) {
    throw_if_failed(write_engine(path_, small_spec()));
    set_section_byte(index, at);
    for (Allocator* allocator :
         {static_cast<Allocator*>(nullptr), static_cast<Allocator*>(&memory)}) {
      const Status status = load(allocator);
      EXPECT_EQ(status.code, Code::kMalformed) << status.to_string();
      EXPECT_EQ(status.message, "section " + sections[index].name + " has 01 at byte " +
                                    std::to_string(at) + ", expected 00, since it is padding");
      ++refused;
    }
  };
  for (size_t index = 0; index < sections.size(); ++index) {
    expect_refused(index, sections[index].bytes);
    expect_refused(index, padded_end(sections[index]) - sections[index].offset - 1);
  }
  // Between two weights, and behind the last.
  expect_refused(2, 160);
  expect_refused(2, 1216 + 12);
  EXPECT_EQ(refused, 16u);
  // A byte of a weight may be anything.
  throw_if_failed(write_engine(path_, small_spec()));
  set_section_byte(2, 159);
  EXPECT_TRUE(load().ok());
}

TEST_F(EngineFile, OtherFilesAreNamedAsSuch) {
  overwrite(path_, std::string(10000, 'x'));
  EXPECT_EQ(Engine::open(path_).status().code, Code::kMalformed);
  EXPECT_EQ(Engine::open(folder_ / "absent.engine").status().code, Code::kNotFound);
  EXPECT_EQ(Engine::open(folder_ / "").status().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace legato::engine
