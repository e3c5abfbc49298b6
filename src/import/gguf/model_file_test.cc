#include "import/gguf/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/gguf/test_bytes.h"
#include "import/import_fixture.h"
#include "tests/support/temporary_folder.h"

namespace legato::importer {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string part(uint16_t number, uint16_t count, std::string_view tensor, int32_t total = 2) {
  GgufBytes file;
  file.key("split.no", GgufValueType::kU16, raw(number));
  file.key("split.count", GgufValueType::kU16, raw(count));
  file.key("split.tensors.count", GgufValueType::kI32, raw(total));
  file.tensor(tensor, {4}, 0, 0);
  file.data_bytes = 16;
  return file.build();
}

std::string open_error(const fs::path& path) {
  return error_of([&] { GgufModelFile::open(path); });
}

TEST(GgufModelFile, PartsAreJoined) {
  const TemporaryFolder folder;
  const fs::path first = folder.write("m-00001-of-00002.gguf", part(0, 2, "a"));
  folder.write("m-00002-of-00002.gguf", part(1, 2, "b"));
  const auto model = GgufModelFile::open(first);
  EXPECT_NE(model->find("a"), nullptr);
  EXPECT_NE(model->find("b"), nullptr);
  EXPECT_EQ(model->find("c"), nullptr);
  EXPECT_EQ(model->where(), first.string());
}

TEST(GgufModelFile, AMissingPartIsNamed) {
  const TemporaryFolder folder;
  const fs::path first = folder.write("m-00001-of-00003.gguf", part(0, 3, "a"));
  folder.write("m-00002-of-00003.gguf", part(1, 3, "b"));
  EXPECT_EQ(open_error(first), (folder.path() / "m-00003-of-00003.gguf").string() +
                                   ": part 3 of 3 is missing beside the first");
}

TEST(GgufModelFile, OnlyTheFirstPartStandsForTheModel) {
  const TemporaryFolder folder;
  folder.write("m-00001-of-00002.gguf", part(0, 2, "a"));
  const fs::path second = folder.write("m-00002-of-00002.gguf", part(1, 2, "b"));
  EXPECT_THAT(open_error(second), HasSubstr("this is part 2 of 2, expected the first, "
                                            "m-00001-of-00002.gguf"));
}

TEST(GgufModelFile, PartsThatContradictEachOtherAreRefused) {
  const TemporaryFolder folder;
  const fs::path first = folder.write("m-00001-of-00002.gguf", part(0, 2, "a"));
  const auto with_second = [&](const std::string& bytes) {
    folder.write("m-00002-of-00002.gguf", bytes);
    return open_error(first);
  };
  EXPECT_THAT(with_second(part(0, 2, "b")), HasSubstr("part 1 of 2, expected 2 of 2"));
  EXPECT_THAT(with_second(part(1, 3, "b")), HasSubstr("part 2 of 3, expected 2 of 2"));
  EXPECT_THAT(with_second(part(1, 2, "a")), HasSubstr("tensor \"a\" is also in another part"));
  EXPECT_THAT(with_second("GGUF"), HasSubstr("m-00002-of-00002.gguf: the version takes 4 bytes"));
  folder.write("m-00001-of-00002.gguf", part(0, 2, "a", 5));
  EXPECT_THAT(with_second(part(1, 2, "b")),
              HasSubstr("key \"split.tensors.count\": is 5, but the parts hold 2"));
  folder.write("m-00001-of-00002.gguf", part(0, 2, "a"));
  EXPECT_THAT(with_second(part(1, 2, "b", 7)),
              HasSubstr("m-00002-of-00002.gguf: key \"split.tensors.count\": is 7, but the parts "
                        "hold 2"));
  EXPECT_THAT(open_error(folder.write("other.gguf", part(0, 2, "a"))),
              HasSubstr("expected a file named NAME-00001-of-00002.gguf"));
  EXPECT_THAT(open_error(folder.write("m-00001-of-00003.gguf", part(0, 2, "a"))),
              HasSubstr("key \"split.count\": says 2 parts"));
}

TEST(GgufModelFile, NamesTellTheOtherParts) {
  EXPECT_THAT(
      gguf_parts("d/m-00001-of-00003.gguf"),
      ElementsAre("d/m-00001-of-00003.gguf", "d/m-00002-of-00003.gguf", "d/m-00003-of-00003.gguf"));
  for (const char* single : {"m.gguf", "m-00002-of-00003.gguf", "m-0001-of-0003.gguf",
                             "m-0000a-of-00003.gguf", "-00001-of-00002.gguf"})
    EXPECT_THAT(gguf_parts(single), ElementsAre(single));
}

}  // namespace
}  // namespace legato::importer
