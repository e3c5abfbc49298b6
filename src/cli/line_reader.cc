#include "cli/line_reader.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/status.h"

namespace legato::cli {
namespace {

constexpr size_t kMaxLineBytes = 64u << 20;

}  // namespace

bool LineReader::wait() const {
  std::array<pollfd, 2> waited = {
      {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
       {.fd = interrupt_->descriptor(), .events = POLLIN, .revents = 0}}};
  while (poll(waited.data(), waited.size(), -1) < 0 && errno == EINTR) {
  }
  return (waited[1].revents & POLLIN) == 0;
}

LineReader::Outcome LineReader::read(std::string& line) {
  while (true) {
    const size_t end = buffer_.find('\n', searched_);
    searched_ = end == std::string::npos ? buffer_.size() : 0;
    if (end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return Outcome::kLine;
    }
    if (at_end_) {
      if (buffer_.empty()) return Outcome::kEnd;
      line.swap(buffer_);
      buffer_.clear();
      searched_ = 0;
      return Outcome::kLine;
    }
    if (!wait()) {
      buffer_.clear();
      searched_ = 0;
      return Outcome::kInterrupted;
    }
    std::array<char, 4096> chunk;
    const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      throw Error(Code::kIo, "standard input",
                  fmt::format("can't be read: {}", std::strerror(errno)));
    }
    if (buffer_.size() > kMaxLineBytes)
      throw Error(Code::kInvalidArgument, "standard input",
                  fmt::format("a line has more than {} bytes", kMaxLineBytes));
    if (count == 0) {
      at_end_ = true;
    } else {
      buffer_.append(chunk.data(), static_cast<size_t>(count));
    }
  }
}

}  // namespace legato::cli
