#include "kernels/cpu/attention/launch.h"

#include <algorithm>

#include "base/checked.h"

namespace legato::kernels::cpu {
namespace {

/// With more sequences than this, runs of one sequence are not spread over the team.
int64_t split_sequences(int64_t threads) { return std::max<int64_t>(8, 2 * threads); }

int64_t rows_per_head(const AttentionWork& work) { return work.heads / work.kv_heads; }

int64_t task_tokens(const AttentionWork& work) {
  return std::max<int64_t>(1, kTaskRows / rows_per_head(work));
}

int64_t aligned_floats(int64_t floats) { return round_up(floats, 16); }

SequenceWork sequence_work(const SequenceSpan& span) {
  return {span.first_token, span.num_tokens, span.past_tokens, span.blocks};
}

/// The workspace, cut: each member's own prefix sums of tasks and scratch, then shared partials.
struct Areas {
  int64_t* starts;
  float* scratch;
  float* partials;
};

int64_t starts_floats(int64_t sequences) { return aligned_floats(2 * (sequences + 1)); }

int64_t scratch_floats(const AttentionWork& work, const AttentionKernels& kernels) {
  return aligned_floats(
      kernels.scratch_floats(task_tokens(work) * rows_per_head(work), work.head_dim));
}

Areas cut(const AttentionWork& work, const AttentionKernels& kernels, const LaunchArgs& args,
          const TeamMember& member) {
  auto* base = reinterpret_cast<float*>(args.workspace);
  const int64_t starts = starts_floats(static_cast<int64_t>(args.batch->sequences.size()));
  const int64_t own = starts + scratch_floats(work, kernels);
  float* mine = base + member.rank() * own;
  return {reinterpret_cast<int64_t*>(mine), mine + starts, base + member.size() * own};
}

int64_t runs_of(const SequenceSpan& span) {
  return ceil_div<int64_t>(int64_t{span.past_tokens} + span.num_tokens, kBlockK);
}

/// How the sequences of a batch are cut into units, numbered through. `units(span)` is asked for
/// sequences that have tokens.
template <typename Units>
class UnitNumbers {
 public:
  /// `starts` has room for a number more than there are sequences, in the member's own workspace.
  UnitNumbers(std::span<const SequenceSpan> sequences, int64_t* starts, Units units)
      : sequences_(sequences), starts_(starts), units_(units) {
    for (const SequenceSpan& span : sequences) total_ += of(span);
  }

  int64_t total() const { return total_; }
  /// The sequence whose units hold number `unit`.
  size_t sequence_of(int64_t unit) {
    const int64_t* starts = numbers();
    return static_cast<size_t>(std::upper_bound(starts, starts + sequences_.size() + 1, unit) -
                               starts) -
           1;
  }
  /// Units of the sequences before i.
  int64_t start(size_t i) { return numbers()[i]; }

 private:
  int64_t of(const SequenceSpan& span) const { return span.num_tokens == 0 ? 0 : units_(span); }

  /// For use in chunks only: without one a member may be so late that its workspace is another
  /// launch's by now.
  const int64_t* numbers() {
    if (!written_) {
      starts_[0] = 0;
      for (size_t i = 0; i < sequences_.size(); ++i)
        starts_[i + 1] = starts_[i] + of(sequences_[i]);
      written_ = true;
    }
    return starts_;
  }

  std::span<const SequenceSpan> sequences_;
  int64_t* starts_;
  Units units_;
  int64_t total_ = 0;
  bool written_ = false;
};

struct Unit {
  int64_t run;
  int64_t head;
};

/// What chunk `index` of a sequence does. Heads of a run follow each other, as they do in a block,
/// so that memory is read in long stretches. The last run may be short: its heads are spread evenly
/// among the others, so that equal shares of the chunks take equally long.
Unit unit_of(int64_t index, int64_t runs, int64_t heads) {
  const int64_t stretch = index / runs;
  const int64_t within = index % runs;
  if (within + 1 == runs) return {within, stretch};
  const int64_t whole = stretch * (runs - 1) + within;
  return {whole / heads, whole % heads};
}

/// Every sequence has one token: each task appends its own key and value before it reads them.
/// Long sequences are spread over the team run by run.
void decode(const AttentionWork& work, const AttentionKernels& kernels, const LaunchArgs& args,
            TeamMember& member) {
  const std::span<const SequenceSpan> sequences = args.batch->sequences;
  const Areas areas = cut(work, kernels, args, member);
  const bool split = static_cast<int64_t>(sequences.size()) <= split_sequences(member.size());
  const int64_t step = kernels.partial_floats(rows_per_head(work), work.head_dim);
  bool partial = false;
  for (const SequenceSpan& span : sequences) partial = partial || (split && runs_of(span) > 1);
  UnitNumbers units(sequences, areas.starts,
                    [&](const SequenceSpan& span) { return split ? runs_of(span) : 1; });
  member.for_chunks(units.total() * work.kv_heads, [&](int64_t chunk) {
    const size_t i = units.sequence_of(chunk / work.kv_heads);
    const SequenceWork sequence = sequence_work(sequences[i]);
    const int64_t runs = units.start(i + 1) - units.start(i);
    const int64_t first = units.start(i) * work.kv_heads;
    const Unit unit = unit_of(chunk - first, runs, work.kv_heads);
    AttentionTask task;
    task.head = unit.head;
    task.head_end = task.head + 1;
    if (unit.run + 1 == runs) kernels.append(work, sequence, task);
    if (runs == 1) {
      kernels.attend(work, sequence, task, areas.scratch);
    } else {
      const int64_t place = first + unit.head * runs + unit.run;
      kernels.attend_run(work, sequence, task, unit.run, areas.partials + place * step,
                         areas.scratch);
    }
  });
  if (!partial) return;
  member.barrier();
  member.for_chunks(static_cast<int64_t>(sequences.size()) * work.kv_heads, [&](int64_t chunk) {
    const size_t i = static_cast<size_t>(chunk / work.kv_heads);
    const int64_t runs = units.start(i + 1) - units.start(i);
    if (runs <= 1) return;
    AttentionTask task;
    task.head = chunk % work.kv_heads;
    task.head_end = task.head + 1;
    const int64_t first = units.start(i) * work.kv_heads + task.head * runs;
    kernels.merge_runs(work, sequence_work(sequences[i]), task, runs,
                       areas.partials + first * step);
  });
}

/// Some sequence has several tokens: all append, then all attend.
void prefill(const AttentionWork& work, const AttentionKernels& kernels, const LaunchArgs& args,
             TeamMember& member) {
  const std::span<const SequenceSpan> sequences = args.batch->sequences;
  const Areas areas = cut(work, kernels, args, member);
  UnitNumbers appended(sequences, areas.starts, [](const SequenceSpan& span) {
    return ceil_div<int64_t>(span.num_tokens, kPanelLanes);
  });
  member.for_chunks(appended.total(), [&](int64_t chunk) {
    const size_t i = appended.sequence_of(chunk);
    AttentionTask task;
    task.token = (chunk - appended.start(i)) * kPanelLanes;
    task.tokens = std::min<int64_t>(kPanelLanes, sequences[i].num_tokens - task.token);
    task.head_end = work.kv_heads;
    kernels.append(work, sequence_work(sequences[i]), task);
  });
  member.barrier();
  const int64_t tokens = task_tokens(work);
  UnitNumbers attended(sequences, areas.starts, [&](const SequenceSpan& span) {
    return ceil_div<int64_t>(span.num_tokens, tokens) * work.kv_heads;
  });
  member.for_chunks(attended.total(), [&](int64_t chunk) {
    const size_t i = attended.sequence_of(chunk);
    const int64_t index = chunk - attended.start(i);
    AttentionTask task;
    // Tiles of one kv head in a row: their keys and values stay in the cache.
    const int64_t tiles = ceil_div<int64_t>(sequences[i].num_tokens, tokens);
    task.head = index / tiles;
    task.head_end = task.head + 1;
    task.token = index % tiles * tokens;
    task.tokens = std::min<int64_t>(tokens, sequences[i].num_tokens - task.token);
    kernels.attend(work, sequence_work(sequences[i]), task, areas.scratch);
  });
}

}  // namespace

size_t attention_workspace_bytes(const AttentionWork& shape, const AttentionKernels& kernels,
                                 const Limits& limits) {
  const int64_t own = starts_floats(limits.max_sequences) + scratch_floats(shape, kernels);
  const int64_t split = std::min(limits.max_sequences, split_sequences(limits.threads));
  const int64_t runs = ceil_div(limits.max_context, kBlockK);
  const int64_t partials = runs <= 1
                               ? 0
                               : split * runs * shape.kv_heads *
                                     kernels.partial_floats(rows_per_head(shape), shape.head_dim);
  return static_cast<size_t>(limits.threads * own + partials) * sizeof(float);
}

void launch_attention(const AttentionWork& work, const AttentionKernels& kernels,
                      const LaunchArgs& args, TeamMember& member) {
  const bool one_token_each =
      std::all_of(args.batch->sequences.begin(), args.batch->sequences.end(),
                  [](const SequenceSpan& span) { return span.num_tokens <= 1; });
  if (one_token_each) {
    decode(work, kernels, args, member);
  } else {
    prefill(work, kernels, args, member);
  }
}

}  // namespace legato::kernels::cpu
