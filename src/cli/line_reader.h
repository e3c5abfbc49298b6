#pragma once

#include <string>

namespace legato::cli {

/// Reads standard input line by line; a signal interrupts it. One thread.
class LineReader {
 public:
  enum class Outcome { kLine, kInterrupted, kEnd };

  /// A line without its end. After kInterrupted the next call goes on.
  Outcome read(std::string& line);

 private:
  std::string buffer_;
  bool at_end_ = false;
};

}  // namespace legato::cli
