#include "device/cpu/team.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/check.h"

namespace legato {
namespace {

/// About 50 us of waiting before a thread gives its core away.
constexpr int kSpins = 2000;

/// Loops are numbered anew after so many, far below the 32 bits that a claim has for the number.
constexpr uint64_t kRenumberAfter = uint64_t{1} << 30;

constexpr uint32_t kOpen = 1;
constexpr uint32_t kInside = 2;

inline void relax() { __builtin_ia32_pause(); }

/// Waits until `passed(value)`: spins, then sleeps in the kernel.
template <typename T, typename Passed>
void wait_until(const std::atomic<T>& value, Passed passed) {
  for (int i = 0; i < kSpins; ++i) {
    if (passed(value.load(std::memory_order_acquire))) return;
    relax();
  }
  for (T seen = value.load(std::memory_order_acquire); !passed(seen);
       seen = value.load(std::memory_order_acquire))
    value.wait(seen, std::memory_order_acquire);
}

}  // namespace

TeamMember::Loop TeamMember::begin_loop(int64_t chunks) {
  // A slot may be taken over once its earlier loop is behind a barrier.
  LEGATO_CHECK(loops_since_barrier_ < kMaxLoops);
  ++loops_since_barrier_;
  ++loop_;
  due_ += static_cast<uint64_t>(chunks);
  return {loop_, &team_->claims_[(loop_ % kMaxLoops) * static_cast<size_t>(size())]};
}

void TeamMember::publish() {
  loops_since_barrier_ = 0;
  if (finished_ == 0) return;
  const uint64_t finished = std::exchange(finished_, 0);
  // Who completes the loops wakes those who sleep until then; all of them wait for the same count.
  if (team_->done_.fetch_add(finished, std::memory_order_acq_rel) + finished == due_)
    team_->done_.notify_all();
}

void TeamMember::barrier() {
  publish();
  if (rank_ == 0) team_->barriers_.fetch_add(1, std::memory_order_relaxed);
  wait_until(team_->done_, [this](uint64_t done) { return done >= due_; });
}

Team::Team(int threads) {
  LEGATO_CHECK(threads >= 1);
  claims_ =
      std::make_unique<TeamMember::Claims[]>(static_cast<size_t>(threads * TeamMember::kMaxLoops));
  for (int rank = 0; rank < threads; ++rank) members_.push_back(TeamMember(*this, rank));
  threads_.reserve(static_cast<size_t>(threads - 1));
  try {
    for (int rank = 1; rank < threads; ++rank)
      threads_.emplace_back([this, rank] { worker(rank); });
  } catch (const std::system_error& error) {
    stop();
    throw Error(Code::kResourceExhausted, "threads",
                fmt::format("cannot start thread {} of {}: {}", threads_.size() + 2, threads,
                            error.what()));
  }
}

Result<std::unique_ptr<Team>> Team::create(int threads) {
  std::unique_ptr<Team> team;
  LEGATO_RETURN_IF_ERROR(catch_error([&] { team = std::make_unique<Team>(threads); }));
  return team;
}

Team::~Team() { stop(); }

void Team::stop() {
  stop_.store(true);
  run_number_.fetch_add(1, std::memory_order_release);
  run_number_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::begin_run() {
  TeamMember& first = members_[0];
  if (first.loop_ > kRenumberAfter) {
    for (int i = 0; i < size() * TeamMember::kMaxLoops; ++i)
      claims_[static_cast<size_t>(i)].word.store(0, std::memory_order_relaxed);
    first.loop_ = 0;
  }
  first_loop_ = first.loop_;
  first_due_ = first.due_;
}

void Team::run(const std::function<void(TeamMember&)>& body) {
  begin_run();
  body_ = &body;
  gate_.store(kOpen, std::memory_order_release);
  run_number_.fetch_add(1, std::memory_order_release);
  if (size() > 1) run_number_.notify_all();
  body(members_[0]);
  // Nothing is left to begin. When those inside have left, everything is done.
  members_[0].publish();
  barriers_.fetch_add(1, std::memory_order_relaxed);
  gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
  wait_until(gate_, [](uint32_t gate) { return gate == 0; });
}

bool Team::enter() {
  uint32_t gate = gate_.load(std::memory_order_relaxed);
  while ((gate & kOpen) != 0) {
    if (gate_.compare_exchange_weak(gate, gate + kInside, std::memory_order_acquire)) return true;
  }
  return false;
}

void Team::leave() {
  if (gate_.fetch_sub(kInside, std::memory_order_acq_rel) == kInside) gate_.notify_all();
}

void Team::worker(int rank) {
  TeamMember& member = members_[static_cast<size_t>(rank)];
  uint64_t seen = 0;
  while (true) {
    wait_until(run_number_, [seen](uint64_t number) { return number != seen; });
    seen = run_number_.load(std::memory_order_acquire);
    if (stop_.load()) return;
    if (!enter()) continue;
    member.loop_ = first_loop_;
    member.due_ = first_due_;
    (*body_)(member);
    member.publish();
    leave();
  }
}

}  // namespace legato
