#include "cli/lost_pages.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/status.h"
#include "tests/support/temporary_folder.h"

namespace legato::cli {
namespace {

/// Reads the end of a mapped file that was cut meanwhile.
void read_what_is_gone(const std::filesystem::path& path) {
  report_lost_pages();
  const MappedFile file = value_or_throw(MappedFile::open(path));
  std::filesystem::resize_file(path, 10);
  volatile std::byte last = file.bytes().back();
  (void)last;
}

TEST(LostPagesDeathTest, AFileThatIsCutWhileItIsReadIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("m.gguf", std::string(1 << 20, 'x'));
  EXPECT_EXIT(read_what_is_gone(path), testing::ExitedWithCode(1),
              "legato: error: .*m.gguf: was cut short or can't be read any more");
}

}  // namespace
}  // namespace legato::cli
