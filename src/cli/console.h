#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/progress.h"

namespace legato::cli {

/// Where a command writes: results to standard output, everything for people to standard error.
/// One thread, but progress may be told by any.
class Console {
 public:
  Console();

  /// Result text, as it is; throws Error when standard output can't take it.
  void print(std::string_view text);
  /// The one JSON object of a --json run.
  void print_json(const Json& object);
  /// A line for people: "legato: ...".
  void note(std::string_view line);
  void warn(std::string_view line);
  void error(std::string_view line);
  /// Text on standard error without a prefix.
  void print_aside(std::string_view text);

  /// A bar on a terminal, nothing elsewhere: a log tells what is done by the results.
  Progress progress();
  /// Ends a bar that is still on the screen.
  void end_progress();

  bool output_is_terminal() const { return output_is_terminal_; }
  bool error_is_terminal() const { return error_is_terminal_; }
  bool input_is_terminal() const { return input_is_terminal_; }
  /// Emphasis for a terminal, unless NO_COLOR is set.
  std::string dim(std::string_view text) const;
  std::string bold(std::string_view text) const;

 private:
  void show_progress(std::string_view what, uint64_t done, uint64_t total);
  void write_error(std::string_view text);

  bool output_is_terminal_ = false;
  bool error_is_terminal_ = false;
  bool input_is_terminal_ = false;
  bool color_ = false;
  std::mutex progress_mutex_;  ///< guards what follows
  bool bar_shown_ = false;
  std::string last_work_;
  std::chrono::steady_clock::time_point last_update_;
};

}  // namespace legato::cli
