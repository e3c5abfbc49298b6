#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/status.h"
#include "device/stream.h"

namespace legato {

class Team;

/// One thread of a team while Team::run() executes. Every member runs the same code, but work is
/// done in for_chunks() alone: a member whose core was taken away is waited for only while it has
/// a chunk in hand, and when it comes back it walks through what the others have finished without
/// doing anything. So outside of chunks, members read only what no chunk of the run writes, and
/// write nothing but their stack.
class alignas(64) TeamMember final : public Stream {
 public:
  Backend backend() const override { return Backend::kCpu; }
  int rank() const { return rank_; }
  int size() const;

  /// Executes body(chunk) for each chunk in [0, chunks), each by exactly one member: first those of
  /// the member's own contiguous share, then what others have not begun. All members call it in
  /// the same order with the same count, at most kMaxLoops times between two barriers. It does not
  /// wait for the others: follow it with barrier() before results are read. A share holds less than
  /// 2^32 chunks.
  template <typename Body>
  void for_chunks(int64_t chunks, Body&& body) {
    const Loop loop = begin_loop(chunks);
    for (int offset = 0; offset < size(); ++offset) {
      const int owner = (rank_ + offset) % size();
      const int64_t begin = chunks * owner / size();
      const int64_t share = chunks * (owner + 1) / size() - begin;
      for (int64_t i = claim(loop, owner, share); i >= 0; i = claim(loop, owner, share)) {
        body(begin + i);
        ++finished_;
      }
    }
  }

  /// Waits until every chunk of the loops before it has been executed; what they wrote is visible
  /// after. Every member calls it equally often.
  void barrier();

  static constexpr int kMaxLoops = 8;

 private:
  friend class Team;

  /// The chunks of one share that have been claimed, and in which loop: loop << 32 | count. A word
  /// of an earlier loop counts as zero, one of a later loop says that this loop is over.
  struct alignas(64) Claims {
    std::atomic<uint64_t> word{0};
  };
  struct Loop {
    uint64_t number;
    Claims* claims;  // [size]
  };

  TeamMember(Team& team, int rank) : team_(&team), rank_(rank) {}
  Loop begin_loop(int64_t chunks);
  void publish();

  /// The next chunk of the owner's share that nobody has begun; -1 when there is none.
  static int64_t claim(const Loop& loop, int owner, int64_t share) {
    std::atomic<uint64_t>& word = loop.claims[owner].word;
    uint64_t seen = word.load(std::memory_order_relaxed);
    while (true) {
      if (seen >> 32 > loop.number) return -1;
      const uint64_t next = seen >> 32 == loop.number ? seen & UINT32_MAX : 0;
      if (next >= static_cast<uint64_t>(share)) return -1;
      if (word.compare_exchange_weak(seen, loop.number << 32 | (next + 1),
                                     std::memory_order_relaxed))
        return static_cast<int64_t>(next);
    }
  }

  Team* team_;
  int rank_;
  int loops_since_barrier_ = 0;
  uint64_t loop_ = 0;      // number of the last loop begun
  uint64_t due_ = 0;       // chunks of all loops so far, in all runs
  uint64_t finished_ = 0;  // chunks executed here and not yet published
};

/// Threads that execute steps together. The caller of run() is member 0; the others spin briefly
/// and then sleep between runs. One thread at a time may call run(); bodies must not throw.
class Team {
 public:
  /// `threads` >= 1. More threads than usable cores is allowed. kResourceExhausted when one of them
  /// cannot be started; then none is left.
  static Result<std::unique_ptr<Team>> create(int threads);
  /// The same; throws Error.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(members_.size()); }
  /// Runs `body` on member 0 and on every other member that gets a core before all chunks have been
  /// executed, and returns when they are and nobody is inside `body`.
  void run(const std::function<void(TeamMember&)>& body);
  /// Barriers passed since the team was made; for measuring overhead.
  uint64_t barriers() const { return barriers_.load(std::memory_order_relaxed); }

 private:
  friend class TeamMember;
  void worker(int rank);
  void stop();
  bool enter();
  void leave();
  void begin_run();

  std::vector<TeamMember> members_;
  std::vector<std::thread> threads_;
  std::unique_ptr<TeamMember::Claims[]> claims_;  // [kMaxLoops][size]

  alignas(64) std::atomic<uint64_t> done_{0};  // chunks executed, in all runs
  alignas(64) std::atomic<uint64_t> run_number_{0};
  alignas(64) std::atomic<uint32_t> gate_{0};  // 1 while a run lets members in, + 2 for each inside
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> barriers_{0};
  // Written while nobody is inside.
  const std::function<void(TeamMember&)>* body_ = nullptr;
  uint64_t first_loop_ = 0;
  uint64_t first_due_ = 0;
};

inline int TeamMember::size() const { return team_->size(); }

}  // namespace legato
