#include "import/source_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/import_fixture.h"
#include "tests/support/temporary_folder.h"

namespace legato::importer {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(SourceFiles, OfAFolderAreThoseThatShapeAnEngine) {
  const TemporaryFolder folder;
  for (const char* name : {"config.json", "README.md", "x.onnx", "log.txt", "merges.txt",
                           "original/params.json", "b.safetensors"})
    folder.write(name, "1");
  EXPECT_THAT(source_files(folder.path()),
              ElementsAre(folder / "b.safetensors", folder / "config.json", folder / "merges.txt",
                          folder / "original/params.json"));
}

TEST(SourceFiles, OfAGgufFileAreItsPartsThatExist) {
  const TemporaryFolder folder;
  const fs::path first = folder.write("m-00001-of-00003.gguf", "1");
  const fs::path third = folder.write("m-00003-of-00003.gguf", "3");
  EXPECT_THAT(source_files(first), ElementsAre(first, third));
  EXPECT_THAT(source_files(third), ElementsAre(third));
}

TEST(SourceState, AModelThatNobodyTouchedIsUnchanged) {
  const TemporaryFolder folder;
  folder.write("config.json", "{}");
  const SourceState state(folder.path());
  folder.write("notes.md", "no part of the model");
  state.throw_if_changed();
}

TEST(SourceState, AFileThatChangedIsNamed) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.gguf", "abcd");
  const SourceState state(file);
  folder.write("m.gguf", "abc");
  const std::string message = file.string() + ": was changed while it was read; try again";
  EXPECT_EQ(error_of([&] { state.throw_if_changed(); }), message);
  // The same size again, but written later.
  folder.write("m.gguf", "abcd");
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::milliseconds(10));
  EXPECT_EQ(error_of([&] { state.throw_if_changed(); }), message);
}

TEST(SourceState, AFileThatAnotherReplacedIsNamed) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.gguf", "abcd");
  const SourceState state(file);
  const fs::path other = folder.write("n.gguf", "abcd");
  fs::last_write_time(other, fs::last_write_time(file));
  fs::rename(other, file);
  EXPECT_EQ(error_of([&] { state.throw_if_changed(); }),
            file.string() + ": was changed while it was read; try again");
}

TEST(SourceState, AFileThatCameOrWentIsNamed) {
  const TemporaryFolder folder;
  const fs::path config = folder.write("config.json", "{}");
  const fs::path weights = folder.write("model.safetensors", "x");
  const SourceState state(folder.path());
  const fs::path shard = folder.write("model-00002.safetensors", "y");
  EXPECT_EQ(error_of([&] { state.throw_if_changed(); }),
            weights.string() + ": was changed while it was read; try again");
  fs::remove(shard);
  state.throw_if_changed();
  fs::remove(config);
  EXPECT_EQ(error_of([&] { state.throw_if_changed(); }),
            config.string() + ": was changed while it was read; try again");
}

}  // namespace
}  // namespace legato::importer
