#pragma once

#include <string>

#include "cli/interrupt.h"

namespace legato::cli {

/// Reads standard input line by line until Ctrl-C interrupts. One thread.
class LineReader {
 public:
  explicit LineReader(const InterruptGuard& interrupt) : interrupt_(&interrupt) {}

  enum class Outcome { kLine, kInterrupted, kEnd };

  /// A line without its end. kInterrupted leaves the interrupt for the caller to take and forgets
  /// what was typed of the line; then the next call goes on. Throws Error where input can't be
  /// read or a line has no end.
  Outcome read(std::string& line);

 private:
  /// Waits for input; false when an interrupt came first.
  bool wait() const;

  const InterruptGuard* interrupt_;
  std::string buffer_;
  size_t searched_ = 0;  ///< bytes at the front of the buffer that hold no line end
  bool at_end_ = false;
};

}  // namespace legato::cli
