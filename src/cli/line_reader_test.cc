#include "cli/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/status.h"
#include "tests/support/processor_time.h"
#include "tests/support/temporary_folder.h"

namespace legato::cli {
namespace {

/// Standard input is a file with this text, or the folder itself, which can't be read.
class LineReaderTest : public testing::Test {
 protected:
  ~LineReaderTest() override {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  void read_from(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY);
    ::dup2(descriptor, STDIN_FILENO);
    ::close(descriptor);
  }

  const TemporaryFolder folder_;
  const InterruptGuard interrupt_;
  LineReader reader_{interrupt_};
  std::string line_;

 private:
  const int saved_ = ::dup(STDIN_FILENO);
};

TEST_F(LineReaderTest, LinesEndWithEitherEndOrTheInput) {
  read_from(folder_.write("input", "a\r\n\nbc\nd"));
  for (const char* expected : {"a", "", "bc", "d"}) {
    ASSERT_EQ(reader_.read(line_), LineReader::Outcome::kLine);
    EXPECT_EQ(line_, expected);
  }
  EXPECT_EQ(reader_.read(line_), LineReader::Outcome::kEnd);
}

TEST_F(LineReaderTest, InputThatCannotBeReadIsNotItsEnd) {
  read_from(folder_.path());
  const Status status = catch_error([&] { (void)reader_.read(line_); });
  EXPECT_EQ(status.to_string(), "standard input: can't be read: Is a directory");
}

TEST_F(LineReaderTest, ALongLineIsReadInLinearTime) {
  const std::string text(16 << 20, 'a');
  read_from(folder_.write("input", text + "\nb"));
  const testing_support::ProcessorTime time;
  ASSERT_EQ(reader_.read(line_), LineReader::Outcome::kLine);
  EXPECT_EQ(line_, text);
  ASSERT_EQ(reader_.read(line_), LineReader::Outcome::kLine);
  EXPECT_EQ(line_, "b");
  EXPECT_LT(time.seconds(), 0.5);
}

TEST_F(LineReaderTest, ALineWithoutAnEndIsRefused) {
  const std::filesystem::path path = folder_.write("input", "");
  std::filesystem::resize_file(path, (64 << 20) + 8192);
  read_from(path);
  const Status status = catch_error([&] { (void)reader_.read(line_); });
  EXPECT_EQ(status.to_string(), "standard input: a line has more than 67108864 bytes");
}

}  // namespace
}  // namespace legato::cli
