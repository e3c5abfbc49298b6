#include "cli/measure.h"

#include <algorithm>
#include <chrono>

#include "base/status.h"

namespace legato::cli {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

Bench::Bench(Session& session, int64_t batch) : session_(&session) {
  for (int64_t i = 0; i < batch; ++i) sequences_.push_back(session.open_sequence());
  next_.resize(sequences_.size());
  items_.reserve(sequences_.size());
}

int32_t Bench::token(int64_t sequence, int64_t position) const {
  // A hash of both (the finaliser of MurmurHash3), so that neighbours and sequences differ.
  uint64_t x = static_cast<uint64_t>(sequence) << 32 ^ static_cast<uint64_t>(position);
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return static_cast<int32_t>((x ^ x >> 33) %
                              static_cast<uint64_t>(session_->engine().info().vocab_size));
}

void Bench::fill(int64_t depth) {
  for (Sequence& sequence : sequences_) {
    if (sequence.length() > depth) throw_if_failed(sequence.truncate(depth));
  }
  const int64_t present = sequences_.front().length();
  if (present < depth) prefill(depth - present);
}

double Bench::prefill(int64_t prompt_len) {
  const int64_t limit = session_->options().max_step_tokens;
  const int64_t first = sequences_.front().length();
  std::vector<std::vector<int32_t>> prompts(sequences_.size());
  for (size_t s = 0; s < prompts.size(); ++s) {
    for (int64_t i = 0; i < prompt_len; ++i) {
      prompts[s].push_back(token(static_cast<int64_t>(s), first + i));
    }
  }
  const Clock::time_point start = Clock::now();
  size_t sequence = 0;
  int64_t done = 0;  // tokens of the current sequence
  while (sequence < sequences_.size()) {
    items_.clear();
    for (int64_t room = limit; room > 0 && sequence < sequences_.size();) {
      const int64_t count = std::min(room, prompt_len - done);
      const bool last = done + count == prompt_len;
      items_.push_back({&sequences_[sequence],
                        std::span<const int32_t>(prompts[sequence])
                            .subspan(static_cast<size_t>(done), static_cast<size_t>(count)),
                        last ? StepItem::Logits::kLast : StepItem::Logits::kNone});
      room -= count;
      done = last ? 0 : done + count;
      if (last) ++sequence;
    }
    throw_if_failed(session_->step(items_));
  }
  return ms_since(start);
}

double Bench::decode_step() {
  items_.clear();
  for (size_t s = 0; s < sequences_.size(); ++s) {
    next_[s] = token(static_cast<int64_t>(s), sequences_[s].length());
    items_.push_back({&sequences_[s], {&next_[s], 1}, StepItem::Logits::kLast});
  }
  const int64_t context = sequences_.front().length();
  const CoreLoss before = recording_ ? core_loss_so_far() : CoreLoss{};
  const Clock::time_point start = Clock::now();
  throw_if_failed(session_->step(items_));
  const double ms = ms_since(start);
  if (recording_) steps_.push_back({context, ms, core_loss_so_far() - before});
  return ms;
}

Measured Bench::run(const Workload& workload) {
  Measured measured;
  for (int64_t run = -1; run < workload.runs; ++run) {
    const bool warm_up = run < 0;
    fill(workload.depth);
    const double prefill_ms = workload.prompt_len > 0 ? prefill(workload.prompt_len) : 0;
    double decode_ms = 0;
    for (int64_t i = 0; i < workload.gen_len; ++i) {
      const double ms = decode_step();
      decode_ms += ms;
      if (!warm_up) measured.itl_ms.push_back(ms);
    }
    if (warm_up) {
      steps_.clear();
      continue;
    }
    measured.prefill_ms.push_back(prefill_ms);
    measured.seconds += (prefill_ms + decode_ms) / 1e3;
    measured.output_tokens += workload.gen_len * workload.batch;
  }
  return measured;
}

}  // namespace legato::cli
