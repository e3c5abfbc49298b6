#include "base/log.h"

#include <cstdio>
#include <mutex>
#include <utility>

namespace legato {
namespace {

struct Logger {
  std::mutex mutex;
  LogSink sink = [](LogLevel level, const std::string& line) {
    std::fprintf(stderr, "legato: %s%s\n", level == LogLevel::kWarning ? "warning: " : "",
                 line.c_str());
  };
};

Logger& logger() {
  static Logger instance;
  return instance;
}

void write(LogLevel level, const std::string& line) {
  const std::lock_guard lock(logger().mutex);
  logger().sink(level, line);
}

}  // namespace

void set_log_sink(LogSink sink) {
  const std::lock_guard lock(logger().mutex);
  logger().sink = std::move(sink);
}

void log_warning(const std::string& line) { write(LogLevel::kWarning, line); }
void log_info(const std::string& line) { write(LogLevel::kInfo, line); }

}  // namespace legato
