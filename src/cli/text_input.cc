#include "cli/text_input.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>

#include "base/file.h"
#include "base/status.h"
#include "cli/options.h"

namespace legato::cli {
namespace {

constexpr uint64_t kMaxTextBytes = 64u << 20;

}  // namespace

std::string read_text(const std::string& path) {
  if (path.empty()) throw UsageError("the name of the file to read is empty");
  if (path == "-") return read_standard_input();
  return value_or_throw(read_file(path, kMaxTextBytes));
}

std::string read_standard_input() {
  std::string text;
  std::array<char, 65536> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), stdin)) {
    text.append(buffer.data(), count);
    if (text.size() > kMaxTextBytes) {
      throw Error(Code::kInvalidArgument, "standard input",
                  fmt::format("more than {} bytes", kMaxTextBytes));
    }
  }
  if (std::ferror(stdin) != 0) throw Error(Code::kIo, "standard input", "can't be read");
  return text;
}

std::vector<int32_t> parse_ids(const std::string& text) {
  std::vector<int32_t> ids;
  if (text.empty()) throw Error(Code::kInvalidArgument, "--ids", "there are no ids");
  for (const std::string& part : split(text, ',')) {
    int32_t id = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), id);
    if (error != std::errc() || stop != part.data() + part.size() || id < 0) {
      throw Error(Code::kInvalidArgument, "--ids",
                  fmt::format("expected token ids such as 1,2,3, got \"{}\"", part));
    }
    ids.push_back(id);
  }
  return ids;
}

}  // namespace legato::cli
