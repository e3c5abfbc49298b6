#pragma once

namespace legato::cli {

/// Model and engine files are mapped: where another program cuts one short while it is read, the
/// system raises SIGBUS. From now on that is one line on standard error, which names the file, and
/// exit code 1. For the whole process.
void report_lost_pages();

}  // namespace legato::cli
