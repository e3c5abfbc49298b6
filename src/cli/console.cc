#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/status.h"

namespace legato::cli {
namespace {

constexpr int kBarCells = 30;
constexpr auto kBarInterval = std::chrono::milliseconds(80);

/// Names and bytes from outside can't break a message into lines or steer the terminal.
std::string printable(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return line;
}

}  // namespace

Console::Console()
    : output_is_terminal_(isatty(STDOUT_FILENO) != 0),
      error_is_terminal_(isatty(STDERR_FILENO) != 0),
      input_is_terminal_(isatty(STDIN_FILENO) != 0) {
  const char* no_color = std::getenv("NO_COLOR");
  color_ = error_is_terminal_ && (no_color == nullptr || *no_color == '\0');
}

void Console::print(std::string_view text) {
  end_progress();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(Code::kIo, "standard output", "can't be written");
  }
}

void Console::print_json(const Json& object) {
  print(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void Console::note(std::string_view line) {
  write_error(fmt::format("legato: {}\n", printable(line)));
}

void Console::warn(std::string_view line) {
  write_error(fmt::format("legato: warning: {}\n", printable(line)));
}

void Console::error(std::string_view line) {
  write_error(fmt::format("legato: error: {}\n", printable(line)));
}

void Console::print_aside(std::string_view text) { write_error(text); }

void Console::write_error(std::string_view text) {
  end_progress();
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

Progress Console::progress() {
  return [this](std::string_view what, uint64_t done, uint64_t total) {
    show_progress(what, done, total);
  };
}

void Console::show_progress(std::string_view what, uint64_t done, uint64_t total) {
  if (!error_is_terminal_) return;
  const std::lock_guard lock(progress_mutex_);
  const bool complete = done >= total;
  const auto now = std::chrono::steady_clock::now();
  if (!complete && last_work_ == what && now - last_update_ < kBarInterval) return;
  last_update_ = now;
  last_work_ = what;
  const double share = total == 0 ? 1.0 : std::min(1.0, double(done) / double(total));
  const int filled = static_cast<int>(share * kBarCells);
  const std::string line = fmt::format("\r\x1b[K{:<24.24} [{:#<{}}{:.<{}}] {:3.0f} %", what, "",
                                       filled, "", kBarCells - filled, share * 100);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  bar_shown_ = true;
}

void Console::end_progress() {
  const std::lock_guard lock(progress_mutex_);
  if (!bar_shown_) return;
  bar_shown_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

std::string Console::dim(std::string_view text) const {
  return color_ ? fmt::format("\x1b[2m{}\x1b[0m", text) : std::string(text);
}

std::string Console::bold(std::string_view text) const {
  return color_ ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

}  // namespace legato::cli
