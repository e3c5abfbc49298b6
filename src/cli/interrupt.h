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
  /// A descriptor that polls as readable while an interrupt is pending: whoever waits for input
  /// waits for it too, so that no interrupt is lost between a check and the wait, whichever thread
  /// the signal met. Owned by the guard.
  int descriptor() const;
};

}  // namespace legato::cli
