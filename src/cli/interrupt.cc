#include "cli/interrupt.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "base/status.h"

namespace legato::cli {
namespace {

/// Counts interrupts that nobody has taken: the only state, so that checking and waiting agree.
std::atomic<int> event = -1;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler reads it");
struct sigaction previous_action;

void note_interrupt(int /*signal*/) {
  const int saved_errno = errno;
  const uint64_t one = 1;
  (void)!write(event, &one, sizeof one);
  errno = saved_errno;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0) {
    throw Error(Code::kResourceExhausted, "Ctrl-C",
                fmt::format("no event: {}", std::strerror(errno)));
  }
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous_action);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previous_action, nullptr);
  close(event.exchange(-1));
}

bool InterruptGuard::take() {
  uint64_t count = 0;
  return read(event, &count, sizeof count) == sizeof count;
}

bool InterruptGuard::pending() const {
  pollfd waited = {.fd = event, .events = POLLIN, .revents = 0};
  return poll(&waited, 1, 0) == 1;
}

int InterruptGuard::descriptor() const { return event; }

}  // namespace legato::cli
