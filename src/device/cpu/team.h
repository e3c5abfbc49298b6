#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "device/stream.h"

namespace legato {

class Team;

/// One thread of a team while Team::run() executes. Every member runs the same code; work is shared
/// by for_chunks().
class TeamMember final : public Stream {
 public:
  Backend backend() const override { return Backend::kCpu; }
  int rank() const { return rank_; }
  int size() const;

  /// Waits until every member is here; what they wrote before is visible after. Every member calls
  /// it equally often.
  void barrier();

  /// Executes body(chunk) for each chunk in [0, chunks), each by exactly one member: first those of
  /// the member's own contiguous share, then what others have not begun, so that a core that was
  /// taken away costs time and not a stall. All members call it in the same order with the same
  /// count, at most kMaxLoops times between two barriers. It does not wait for the others: follow
  /// it with barrier() before results are read.
  template <typename Body>
  void for_chunks(int64_t chunks, Body&& body) {
    Claims* claims = begin_loop();
    for (int offset = 0; offset < size(); ++offset) {
      const int owner = (rank_ + offset) % size();
      const int64_t begin = chunks * owner / size();
      const int64_t end = chunks * (owner + 1) / size();
      std::atomic<int64_t>& next = claims[owner].next;
      // The load keeps a member that only looks for leftovers from writing to another core's cache
      // line.
      while (next.load(std::memory_order_relaxed) < end - begin) {
        const int64_t chunk = begin + next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= end) break;
        body(chunk);
      }
    }
  }

  static constexpr int kMaxLoops = 8;

 private:
  friend class Team;
  struct alignas(64) Claims {
    std::atomic<int64_t> next{0};
  };
  TeamMember(Team& team, int rank) : team_(&team), rank_(rank) {}
  Claims* begin_loop();

  Team* team_;
  int rank_;
  int loops_since_barrier_ = 0;
};

/// Threads that execute steps together. The caller of run() is member 0; the others spin briefly
/// and then sleep between runs. One thread at a time may call run(); bodies must not throw.
class Team {
 public:
  /// `threads` >= 1. More threads than usable cores is allowed and slow.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(members_.size()); }
  /// Runs `body` on every member and returns when all have finished.
  void run(const std::function<void(TeamMember&)>& body);
  /// Barriers passed since the team was made; for measuring overhead.
  uint64_t barriers() const { return generation_.load(std::memory_order_relaxed); }

 private:
  friend class TeamMember;
  void worker(int rank);
  void wait_at_barrier(int loops_used);

  std::vector<TeamMember> members_;
  std::vector<std::thread> threads_;
  std::unique_ptr<TeamMember::Claims[]> claims_;  // [kMaxLoops][size]

  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<uint64_t> generation_{0};
  alignas(64) std::atomic<uint64_t> run_number_{0};
  std::atomic<bool> stop_{false};
  const std::function<void(TeamMember&)>* body_ = nullptr;
};

inline int TeamMember::size() const { return team_->size(); }

}  // namespace legato
