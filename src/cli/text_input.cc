#include "cli/text_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/status.h"
#include "cli/options.h"

namespace legato::cli {
namespace {

constexpr uint64_t kMaxTextBytes = 64u << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kBlanks = " \t\r\n";

/// To the first end of input: a terminal's is one Ctrl-D.
std::string read_descriptor(int descriptor, const std::string& name) {
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0) {
      if (errno == EINTR) continue;
      throw Error(Code::kIo, name, fmt::format("can't be read: {}", std::strerror(errno)));
    }
    text.append(buffer.data(), static_cast<size_t>(count));
    if (text.size() > kMaxTextBytes) {
      throw Error(Code::kInvalidArgument, name,
                  fmt::format("has more than {} bytes", kMaxTextBytes));
    }
  }
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

int32_t parse_id(std::string_view text, const std::string& where) {
  int32_t id = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || stop != text.data() + text.size() || id < 0) {
    throw Error(Code::kInvalidArgument, where,
                fmt::format("expected token ids such as 1,2,3, got \"{}\"", text));
  }
  return id;
}

}  // namespace

std::string read_text(const std::string& path, Console& console) {
  if (path.empty()) throw UsageError("the name of the file to read is empty");
  if (path == "-") return read_standard_input(console);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(errno == ENOENT ? Code::kNotFound : Code::kIo, path, std::strerror(errno));
  }
  try {
    std::string text = read_descriptor(descriptor, path);
    ::close(descriptor);
    return text;
  } catch (const Error&) {
    ::close(descriptor);
    throw;
  }
}

std::string read_standard_input(Console& console) {
  if (console.input_is_terminal()) console.note("type a text, end it with Ctrl-D");
  return read_descriptor(STDIN_FILENO, "standard input");
}

std::string prompt_of(std::string text) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (!text.ends_with('\n')) return text;
  text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::vector<int32_t> parse_ids(std::string_view text, const std::string& where) {
  std::string_view list = trimmed(text);
  if (list.starts_with('[') && list.ends_with(']')) list = list.substr(1, list.size() - 2);
  list = trimmed(list);
  if (list.empty()) throw Error(Code::kInvalidArgument, where, "there are no ids");
  std::vector<int32_t> ids;
  for (const std::string& field : split(list, ',')) {
    std::string_view part = trimmed(field);
    // Blanks alone separate ids too.
    while (true) {
      const size_t end = part.find_first_of(kBlanks);
      ids.push_back(parse_id(part.substr(0, end), where));
      if (end == std::string_view::npos) break;
      part = trimmed(part.substr(end));
    }
  }
  return ids;
}

}  // namespace legato::cli
