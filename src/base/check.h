#pragma once

namespace legato {

/// Prints the failed condition and aborts. For programmer errors only: no file, flag or request can
/// reach it.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace legato

#define LEGATO_CHECK(condition)                                               \
  do {                                                                        \
    if (!(condition)) ::legato::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
