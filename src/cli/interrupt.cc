#include "cli/interrupt.h"

#include <csignal>

namespace legato::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;
struct sigaction previous_action;

void note_interrupt(int /*signal*/) { interrupted = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that a read of the next line returns.
  sigaction(SIGINT, &action, &previous_action);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &previous_action, nullptr); }

bool InterruptGuard::take() {
  const bool was = interrupted != 0;
  interrupted = 0;
  return was;
}

bool InterruptGuard::pending() const { return interrupted != 0; }

}  // namespace legato::cli
