#pragma once

#include <functional>
#include <string>

namespace legato {

/// Where warnings go. The default writes "legato: warning: ..." lines to standard error.
using LogSink = std::function<void(const std::string& line)>;

/// Replaces the sink of the whole process. Call it before other threads warn.
void set_log_sink(LogSink sink);

/// Something was ignored or replaced that the user should know of. Any thread.
void log_warning(const std::string& line);

}  // namespace legato
