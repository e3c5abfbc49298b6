#pragma once

namespace legato::cli {

/// While it lives, Ctrl-C (SIGINT) is noted instead of ending the program. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Whether Ctrl-C was pressed since the last call; forgets it.
  bool take();
  /// The same without forgetting.
  bool pending() const;
};

}  // namespace legato::cli
