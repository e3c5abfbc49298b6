#include "cli/lost_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

// All that a handler calls has to be safe within a signal: no memory, no locks, no stdio.

namespace legato::cli {
namespace {

constexpr int kExitFailed = 1;
constexpr std::string_view kUnknown = "a mapped file";
constexpr size_t kMaxLineBytes = 8192;

void write_text(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

/// Names can't steer the terminal: a control character is written as "?".
void write_printable(std::string_view text) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  while (!text.empty()) {
    const auto end = std::find_if(text.begin(), text.end(), is_control);
    const auto plain = static_cast<size_t>(end - text.begin());
    write_text(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    write_text("?");
    text.remove_prefix(1);
  }
}

/// The path of a line of /proc/self/maps, "FIRST-END MODE OFFSET DEVICE INODE   PATH", if `address`
/// lies between its hexadecimal numbers; empty otherwise.
std::string_view path_of(std::string_view line, uint64_t address) {
  uint64_t first = 0, end = 0;
  const char* const stop = line.data() + line.size();
  const auto [dash, first_error] = std::from_chars(line.data(), stop, first, 16);
  if (first_error != std::errc() || dash == stop) return {};
  const auto [rest, end_error] = std::from_chars(dash + 1, stop, end, 16);
  if (end_error != std::errc() || address < first || address >= end) return {};
  const size_t slash = line.find('/');
  return slash == std::string_view::npos ? kUnknown : line.substr(slash);
}

/// Calls `use` with the path of the file that is mapped at `address`.
template <typename Use>
void with_file_at(uint64_t address, const Use& use) {
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::array<char, kMaxLineBytes> buffer;
  size_t held = 0;
  while (maps >= 0) {
    const ssize_t count = ::read(maps, buffer.data() + held, buffer.size() - held);
    if (count <= 0) break;
    held += static_cast<size_t>(count);
    std::string_view text(buffer.data(), held);
    for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      const std::string_view path = path_of(text.substr(0, end), address);
      if (!path.empty()) return use(path);
      text.remove_prefix(end + 1);
    }
    held = text.size();
    std::memmove(buffer.data(), text.data(), held);
  }
  use(kUnknown);
}

void handle(int /*signal*/, siginfo_t* info, void* /*context*/) {
  with_file_at(reinterpret_cast<uint64_t>(info->si_addr), [](std::string_view path) {
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    write_text("legato: error: ");
    write_printable(path);
    write_text(": was cut short or can't be read any more, while it was in use\n");
  });
  ::_exit(kExitFailed);
}

}  // namespace

void report_lost_pages() {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace legato::cli
