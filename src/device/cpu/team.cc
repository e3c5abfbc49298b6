#include "device/cpu/team.h"

#include "base/check.h"

namespace legato {
namespace {

/// About 50 us of waiting before a thread gives its core away.
constexpr int kSpins = 2000;

inline void relax() { __builtin_ia32_pause(); }

/// Waits until `value` differs from `old`: spins, then sleeps in the kernel.
template <typename T>
void wait_for_change(const std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

void TeamMember::barrier() {
  if (size() > 1) {
    team_->wait_at_barrier(loops_since_barrier_);
  } else {
    for (int i = 0; i < loops_since_barrier_; ++i)
      team_->claims_[static_cast<size_t>(i)].next.store(0);
    team_->generation_.fetch_add(1, std::memory_order_relaxed);
  }
  loops_since_barrier_ = 0;
}

TeamMember::Claims* TeamMember::begin_loop() {
  LEGATO_CHECK(loops_since_barrier_ < kMaxLoops);
  return &team_->claims_[static_cast<size_t>(loops_since_barrier_++ * size())];
}

Team::Team(int threads) {
  LEGATO_CHECK(threads >= 1);
  claims_ =
      std::make_unique<TeamMember::Claims[]>(static_cast<size_t>(threads * TeamMember::kMaxLoops));
  for (int rank = 0; rank < threads; ++rank) members_.push_back(TeamMember(*this, rank));
  for (int rank = 1; rank < threads; ++rank) threads_.emplace_back([this, rank] { worker(rank); });
}

Team::~Team() {
  stop_.store(true);
  run_number_.fetch_add(1, std::memory_order_release);
  run_number_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(const std::function<void(TeamMember&)>& body) {
  body_ = &body;
  run_number_.fetch_add(1, std::memory_order_release);
  if (size() > 1) run_number_.notify_all();
  body(members_[0]);
  members_[0].barrier();  // past it no worker touches the body
}

void Team::worker(int rank) {
  TeamMember& member = members_[static_cast<size_t>(rank)];
  uint64_t seen = 0;
  while (true) {
    wait_for_change(run_number_, seen);
    ++seen;
    if (stop_.load()) return;
    (*body_)(member);
    member.barrier();
  }
}

void Team::wait_at_barrier(int loops_used) {
  const uint64_t generation = generation_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < size()) {
    wait_for_change(generation_, generation);
    return;
  }
  // The last one: nobody claims chunks now, so the counters can start anew.
  for (int i = 0; i < loops_used * size(); ++i)
    claims_[static_cast<size_t>(i)].next.store(0, std::memory_order_relaxed);
  arrived_.store(0, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
}

}  // namespace legato
