#include "kernels/cpu/level/attention.h"

#include "kernels/cpu/level/append.h"
#include "kernels/cpu/level/softmax.h"
#include "kernels/cpu/level/tables.h"
#include "kernels/cpu/level/tile.h"

namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

int64_t padded(int64_t head_dim) {
  return (head_dim + kPanelLanes - 1) / kPanelLanes * kPanelLanes;
}

int64_t scratch_floats(int64_t rows, int64_t head_dim) {
  return rows * (kBlockK + padded(head_dim) + 2) + kTileRows * (kBlockK + padded(head_dim));
}

int64_t partial_floats(int64_t rows, int64_t head_dim) { return rows * (padded(head_dim) + 2); }

/// Whose keys and values are read next: of which kv head, how many runs later.
struct Ahead {
  int64_t head;
  int64_t runs;
};

/// Up to kTileRows query rows of one kv head and what one run gives for them.
struct Group {
  const AttentionWork& work;
  const SequenceWork& sequence;
  int64_t head;  ///< the kv head
  Ahead ahead;
  int64_t rows;
  int64_t first_row;       ///< of the task: row r is token r / per_head, head r % per_head
  int64_t per_head;        ///< query heads of a kv head
  int64_t first_position;  ///< of the task's first token
  const float* q;          ///< [rows][kBlockK]
  float* scores;           ///< [rows][kBlockK]
  float* values;           ///< [rows][padded(head_dim)]

  int64_t position(int64_t row) const { return first_position + (first_row + row) / per_head; }
  bool one_token() const { return position(0) == position(rows - 1); }
  const char* head_base(int64_t block, int64_t offset) const {
    return base_of(block, offset, head);
  }
  /// Where the same block's keys or values lie in the (run, head) that is expected next; the same
  /// as head_base() when none is. Only prefetched, so a block that a window let go does no harm.
  const char* base_ahead(int64_t block, int64_t offset) const {
    const int64_t last = (sequence.past + sequence.num_tokens - 1) / kPanelLanes;
    const int64_t later = block + ahead.runs * kRunBlocks;
    return later > last ? head_base(block, offset) : base_of(later, offset, ahead.head);
  }

 private:
  const char* base_of(int64_t block, int64_t offset, int64_t of_head) const {
    return work.cache + sequence.blocks[block] * work.block_bytes + offset +
           of_head * work.head_bytes;
  }
};

RunBlocks find_blocks(const Group& group, int64_t run) {
  RunBlocks blocks;
  const Visible first(group.work, group.position(0));
  const Visible last(group.work, group.position(group.rows - 1));
  for (int b = 0; b < kRunBlocks; ++b) {
    const int64_t begin = run * kBlockK + b * kPanelLanes;
    const int64_t end = begin + kPanelLanes;
    // Windows only move forward, so the first and the last row bound what the others see.
    blocks.visible[b] =
        begin < last.window.end && (end > first.window.begin || begin < last.sinks.end);
    blocks.whole[b] = first.sees_all(begin, end) && last.sees_all(begin, end);
    blocks.any = blocks.any || blocks.visible[b];
  }
  return blocks;
}

void score_blocks(const Group& group, const RunBlocks& blocks, int64_t run) {
  const TileEntry& entry = tile_entry(group.work.element, group.rows);
  TileArgs args{};
  args.segments = 1;
  args.segment_k = group.work.head_dim;
  args.stride = kPanelLanes;
  args.a = group.q;
  args.c_stride = kBlockK;
  for (int b = 0; b < kRunBlocks;) {
    if (!blocks.visible[b]) {
      ++b;
      continue;
    }
    const void* panels[kRunBlocks];
    const void* ahead[kRunBlocks];
    int visible = 1;
    while (b + visible < kRunBlocks && blocks.visible[b + visible]) ++visible;
    const int at_once = entry.panels_of(visible);
    for (int i = 0; i < at_once; ++i) {
      panels[i] = group.head_base(run * kRunBlocks + b + i, group.work.key_offset);
      ahead[i] = group.base_ahead(run * kRunBlocks + b + i, group.work.key_offset);
    }
    args.panels = panels;
    args.ahead = ahead;
    args.ahead_step = kPanelLanes * element_bytes(group.work.element);
    args.c = group.scores + b * kPanelLanes;
    entry.loop(at_once)(args);
    b += at_once;
  }
}

/// Adds values of positions [first, first + count) of each of `blocks` consecutive blocks to rows
/// [row, row + rows) of the group.
struct ValueRange {
  int64_t row;
  int64_t rows;
  int64_t block;
  int64_t blocks;
  int64_t first;
  int64_t count;
};

void add_values(const Group& group, const ValueRange& range, int64_t run) {
  const TileEntry& entry = tile_entry(group.work.element, range.rows);
  const int64_t bytes = element_bytes(group.work.element);
  const int64_t dim = padded(group.work.head_dim);
  const int64_t lane_groups = dim / kPanelLanes;
  TileArgs args{};
  args.segments = range.blocks;
  args.segment_k = range.count;
  args.stride = group.work.head_dim;
  args.a = group.scores + range.row * kBlockK + (range.block - run * kRunBlocks) * kPanelLanes +
           range.first;
  args.c_stride = dim;
  args.accumulate = true;
  const void* panels[kRunBlocks * kMaxPanelsAtOnce];
  const void* ahead[kRunBlocks * kMaxPanelsAtOnce];
  args.panels = panels;
  args.ahead = ahead;
  args.ahead_step = args.stride * bytes;
  for (int64_t lanes = 0; lanes < lane_groups;) {
    const int at_once = entry.panels_of(lane_groups - lanes);
    for (int64_t s = 0; s < range.blocks; ++s) {
      const char* base = group.head_base(range.block + s, group.work.value_offset);
      const char* next = group.base_ahead(range.block + s, group.work.value_offset);
      for (int64_t p = 0; p < at_once; ++p) {
        const int64_t offset = (range.first * args.stride + (lanes + p) * kPanelLanes) * bytes;
        panels[s * at_once + p] = base + offset;
        ahead[s * at_once + p] = next + offset;
      }
    }
    args.c = group.values + range.row * dim + lanes * kPanelLanes;
    entry.loop(at_once)(args);
    lanes += at_once;
  }
}

/// A block that some rows see in part: row by row, so that what a row doesn't see is never
/// multiplied, not even by zero (it may be infinite, or was never written).
void add_partial_block(const Group& group, int64_t run, int64_t b) {
  const int64_t block = run * kRunBlocks + b;
  const int64_t begin = block * kPanelLanes;
  const int64_t step = group.one_token() ? group.rows : 1;
  for (int64_t row = 0; row < group.rows; row += step) {
    Interval parts[2];
    const int count = Visible(group.work, group.position(row)).parts(begin, parts);
    for (int i = 0; i < count; ++i)
      add_values(group,
                 {row, step, block, 1, parts[i].begin - begin, parts[i].end - parts[i].begin}, run);
  }
}

void weigh_values(const Group& group, const RunBlocks& blocks, int64_t run) {
  const int64_t count = group.rows * padded(group.work.head_dim);
  for (int64_t i = 0; i < count; i += kLanes) vstore(group.values + i, vzero());
  for (int b = 0; b < kRunBlocks;) {
    int end = b;
    while (end < kRunBlocks && blocks.whole[end]) ++end;
    if (end > b) {
      add_values(group, {0, group.rows, run * kRunBlocks + b, end - b, 0, kPanelLanes}, run);
      b = end;
      continue;
    }
    if (blocks.visible[b]) add_partial_block(group, run, b);
    ++b;
  }
}

/// max[r], sum[r] (0: row r sees nothing of the run) and group.values of one run.
void compute_run(const Group& group, int64_t run, float* max, float* sum) {
  const RunBlocks blocks = find_blocks(group, run);
  if (!blocks.any) {
    for (int64_t row = 0; row < group.rows; ++row) sum[row] = 0;
    return;
  }
  score_blocks(group, blocks, run);
  for (int64_t row = 0; row < group.rows; ++row) {
    float* scores = group.scores + row * kBlockK;
    const Visible seen(group.work, group.position(row));
    sum[row] = 0;
    if (!seen.sees_any(run * kBlockK, (run + 1) * kBlockK)) continue;
    if (group.work.softcap > 0) cap_scores(scores, blocks, group.work.softcap);
    mask_scores(scores, blocks, seen, run * kBlockK);
    max[row] = largest_score(scores, blocks);
    sum[row] = 1;
  }
  for (int64_t row = 0; row < group.rows; ++row)
    if (sum[row] != 0) sum[row] = exponentiate(group.scores + row * kBlockK, blocks, max[row]);
  weigh_values(group, blocks, run);
}

/// Query rows of a task, normalised, rotated and scaled: row r is token r / per_head.
void prepare_queries(const AttentionWork& work, const SequenceWork& sequence,
                     const AttentionTask& task, float* q) {
  const int64_t per_head = work.heads / work.kv_heads;
  const Vec scale = vset(work.scale);
  for (int64_t t = 0; t < task.tokens; ++t) {
    const int64_t token = sequence.first_token + task.token + t;
    for (int64_t h = 0; h < per_head; ++h, q += kBlockK) {
      const int64_t head = task.head * per_head + h;
      prepare_head(work, work.q + token * work.q_stride + head * work.head_dim, work.q_norm, token,
                   q);
      for (int64_t i = 0; i < work.head_dim; i += kLanes)
        store_upto(q, work.head_dim, i, vmul(scale, load_upto(q, work.head_dim, i)));
    }
  }
}

void write_output(const AttentionWork& work, const SequenceWork& sequence,
                  const AttentionTask& task, int64_t row, const RowState& state) {
  const int64_t per_head = work.heads / work.kv_heads;
  const int64_t token = sequence.first_token + task.token + row / per_head;
  const int64_t head = task.head * per_head + row % per_head;
  float* out = work.out + token * work.out_stride + head * work.head_dim;
  const Vec sum = vset(state.sum);
  for (int64_t i = 0; i < work.head_dim; i += kLanes)
    store_upto(out, work.head_dim, i, vdiv(vload(state.values + i), sum));
}

Group first_group(const AttentionWork& work, const SequenceWork& sequence,
                  const AttentionTask& task, Ahead ahead, float* q, float* rest) {
  return Group{work,
               sequence,
               task.head,
               ahead,
               0,
               0,
               work.heads / work.kv_heads,
               sequence.past + task.token,
               q,
               rest,
               rest + kTileRows * kBlockK};
}

/// Heads of a run follow each other in memory.
Ahead next_head(const AttentionWork& work, const AttentionTask& task) {
  return task.head + 1 < work.kv_heads ? Ahead{task.head + 1, 0} : Ahead{0, 1};
}

void attend(const AttentionWork& work, const SequenceWork& sequence, const AttentionTask& task,
            float* scratch) {
  const int64_t dim = padded(work.head_dim);
  const int64_t rows = task.tokens * (work.heads / work.kv_heads);
  float* q = scratch;
  float* values = q + rows * kBlockK;
  float* maxima = values + rows * dim;
  float* sums = maxima + rows;
  const int64_t last = (sequence.past + task.token + task.tokens - 1) / kBlockK;
  const Ahead next_run = {task.head, 1};
  Group group = first_group(work, sequence, task, last > 0 ? next_run : next_head(work, task), q,
                            sums + rows);
  prepare_queries(work, sequence, task, q);
  for (int64_t row = 0; row < rows; ++row) sums[row] = 0;
  for (int64_t run = 0; run <= last; ++run) {
    for (int64_t row = 0; row < rows; row += kTileRows) {
      group.first_row = row;
      group.rows = at_most(kTileRows, rows - row);
      group.q = q + row * kBlockK;
      float run_max[kTileRows];
      float run_sum[kTileRows];
      compute_run(group, run, run_max, run_sum);
      for (int64_t i = 0; i < group.rows; ++i) {
        RowState state{maxima[row + i], sums[row + i], values + (row + i) * dim};
        fold_run(state, {run_max[i], run_sum[i], group.values + i * dim}, dim);
        maxima[row + i] = state.max;
        sums[row + i] = state.sum;
      }
    }
  }
  for (int64_t row = 0; row < rows; ++row)
    write_output(work, sequence, task, row, {maxima[row], sums[row], values + row * dim});
}

void attend_run(const AttentionWork& work, const SequenceWork& sequence, const AttentionTask& task,
                int64_t run, float* partial, float* scratch) {
  const int64_t dim = padded(work.head_dim);
  const int64_t rows = work.heads / work.kv_heads;
  Group group =
      first_group(work, sequence, task, next_head(work, task), scratch, scratch + rows * kBlockK);
  prepare_queries(work, sequence, task, scratch);
  for (int64_t row = 0; row < rows; row += kTileRows) {
    group.first_row = row;
    group.rows = at_most(kTileRows, rows - row);
    group.q = scratch + row * kBlockK;
    group.values = partial + 2 * rows + row * dim;
    compute_run(group, run, partial + row, partial + rows + row);
  }
}

void merge_runs(const AttentionWork& work, const SequenceWork& sequence, const AttentionTask& task,
                int64_t runs, const float* partials) {
  const int64_t dim = padded(work.head_dim);
  const int64_t rows = work.heads / work.kv_heads;
  const int64_t step = partial_floats(rows, work.head_dim);
  for (int64_t row = 0; row < rows; ++row) {
    alignas(64) float values[kMaxHeadDim];
    RowState state{0, 0, values};
    for (int64_t run = 0; run < runs; ++run) {
      const float* partial = partials + run * step;
      fold_run(
          state,
          {partial[row], partial[rows + row], const_cast<float*>(partial) + 2 * rows + row * dim},
          dim);
    }
    write_output(work, sequence, task, row, state);
  }
}

constexpr AttentionKernels kKernels = {scratch_floats, partial_floats, append,
                                       attend,         attend_run,     merge_runs};

}  // namespace

const AttentionKernels& attention_kernels() { return kKernels; }

}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
