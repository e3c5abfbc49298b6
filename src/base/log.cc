#include "base/log.h"

#include <cstdio>
#include <mutex>
#include <utility>

namespace legato {
namespace {

struct Logger {
  std::mutex mutex;
  LogSink sink = [](const std::string& line) {
    std::fprintf(stderr, "legato: warning: %s\n", line.c_str());
  };
};

Logger& logger() {
  static Logger instance;
  return instance;
}

}  // namespace

void set_log_sink(LogSink sink) {
  const std::lock_guard lock(logger().mutex);
  logger().sink = std::move(sink);
}

void log_warning(const std::string& line) {
  const std::lock_guard lock(logger().mutex);
  logger().sink(line);
}

}  // namespace legato
