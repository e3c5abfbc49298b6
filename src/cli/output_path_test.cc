#include "cli/output_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/status.h"
#include "cli/options.h"

namespace legato::cli {
namespace {

namespace fs = std::filesystem;

class OutputPathTest : public ::testing::Test {
 protected:
  OutputPathTest() {
    fs::create_directories(folder_ / "model" / "shards");
    for (const char* name :
         {"model/config.json", "model/shards/a.safetensors", "model/x.engine", "text.txt"}) {
      std::ofstream(folder_ / name) << name;
    }
  }
  ~OutputPathTest() override { fs::remove_all(folder_); }

  void refuse(const fs::path& output, const fs::path& input) {
    EXPECT_THROW(check_output(output.string(), {input}), Error) << output;
  }
  void accept(const fs::path& output, const fs::path& input) {
    EXPECT_NO_THROW(check_output(output.string(), {input})) << output;
  }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("legato-output-" + std::to_string(::getpid()));
};

TEST_F(OutputPathTest, AStandardStreamIsNoFile) {
  EXPECT_THROW(check_output("-", {}), UsageError);
  accept("./-", folder_ / "text.txt");
}

TEST_F(OutputPathTest, AnInputFileIsNeverReplaced) {
  refuse(folder_ / "text.txt", folder_ / "text.txt");
  refuse(folder_ / "model" / ".." / "text.txt", folder_ / "text.txt");
  fs::create_symlink("text.txt", folder_ / "link.txt");
  refuse(folder_ / "link.txt", folder_ / "text.txt");
  accept(folder_ / "other.txt", folder_ / "text.txt");
}

TEST_F(OutputPathTest, TheFolderMustBeThere) {
  refuse(folder_ / "nodir" / "x.engine", folder_ / "text.txt");
  refuse(folder_ / "model", folder_ / "text.txt");
  accept(folder_ / "new.engine", folder_ / "text.txt");
  accept("new.engine", folder_ / "text.txt");
}

TEST_F(OutputPathTest, AFileOfTheModelFolderIsNeverReplacedButAnEngineThereIs) {
  refuse(folder_ / "model" / "config.json", folder_ / "model");
  refuse(folder_ / "model" / "shards" / "a.safetensors", folder_ / "model");
  accept(folder_ / "model" / "x.engine", folder_ / "model");
  accept(folder_ / "model" / "new.bin", folder_ / "model");
  accept(folder_ / "text.txt", folder_ / "model");
}

TEST_F(OutputPathTest, AnEmptyNameIsWrongUsage) {
  EXPECT_THROW(check_output("", {folder_ / "text.txt"}), UsageError);
}

}  // namespace
}  // namespace legato::cli
