#pragma once

#include "kernels/cpu/level/norm.h"
#include "kernels/cpu/level/visibility.h"
#include "kernels/cpu/simd/vector_math.h"

/// Softmax of one run, and the fold of runs. A state is (max, sum, weighted values).
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

inline constexpr int kRunBlocks = static_cast<int>(kBlockK / kPanelLanes);
inline constexpr float kMinusInfinity = -__builtin_inff();

/// Blocks of a run that some row of a group sees, and those that all rows see whole.
struct RunBlocks {
  bool visible[kRunBlocks];
  bool whole[kRunBlocks];
  bool any = false;
};

inline void cap_scores(float* scores, const RunBlocks& blocks, float softcap) {
  const Vec cap = vset(softcap);
  for (int b = 0; b < kRunBlocks; ++b) {
    if (!blocks.visible[b]) continue;
    for (int64_t i = b * kPanelLanes; i < (b + 1) * kPanelLanes; i += kLanes)
      vstore(scores + i, vmul(cap, vtanh(vdiv(vload(scores + i), cap))));
  }
}

/// Scores of positions that the row doesn't see become minus infinity.
inline void mask_scores(float* scores, const RunBlocks& blocks, const Visible& seen,
                        int64_t run_begin) {
  for (int b = 0; b < kRunBlocks; ++b) {
    if (!blocks.visible[b] || blocks.whole[b]) continue;
    Interval parts[2];
    const int64_t begin = run_begin + b * kPanelLanes;
    const int count = seen.parts(begin, parts);
    int64_t position = begin;
    for (int i = 0; i < count; ++i) {
      for (; position < parts[i].begin; ++position) scores[position - run_begin] = kMinusInfinity;
      position = parts[i].end;
    }
    for (; position < begin + kPanelLanes; ++position)
      scores[position - run_begin] = kMinusInfinity;
  }
}

/// The largest score of a row that sees something of the run.
inline float largest_score(const float* scores, const RunBlocks& blocks) {
  Vec largest = vset(kMinusInfinity);
  for (int b = 0; b < kRunBlocks; ++b) {
    if (!blocks.visible[b]) continue;
    for (int64_t i = b * kPanelLanes; i < (b + 1) * kPanelLanes; i += kLanes)
      largest = vmax(largest, vload(scores + i));
  }
  return vmax_across(largest);
}

/// Turns scores into e^(score - max), exactly 0 where masked. Returns the sum, whose 32 lanes are
/// added block by block. A NaN among the scores makes the sum NaN.
inline float exponentiate(float* scores, const RunBlocks& blocks, float max) {
  Vec sums[kVectorsPerPanel];
  for (Vec& sum : sums) sum = vzero();
  const Vec top = vset(max);
  for (int b = 0; b < kRunBlocks; ++b) {
    if (!blocks.visible[b]) continue;
    float* at = scores + b * kPanelLanes;
    for (int v = 0; v < kVectorsPerPanel; ++v, at += kLanes) {
      const Vec p = vexp_not_positive(vsub(vload(at), top));
      vstore(at, p);
      sums[v] = vadd(sums[v], p);
    }
  }
  return tree_sum(sums);
}

/// One row's maximum, sum and weighted values. A sum of 0 says that nothing was seen yet: the
/// largest score of anything seen adds 1 to it.
struct RowState {
  float max;
  float sum;
  float* values;
};

/// Folds a later run into a state.
inline void fold_run(RowState& state, const RowState& run, int64_t padded_dim) {
  if (run.sum == 0) return;
  if (state.sum == 0) {
    state.max = run.max;
    state.sum = run.sum;
    for (int64_t i = 0; i < padded_dim; i += kLanes)
      vstore(state.values + i, vload(run.values + i));
    return;
  }
  const float max = state.max > run.max ? state.max : run.max;
  const Vec keep = vexp(vset(state.max - max));
  const Vec add = vexp(vset(run.max - max));
  float sum[kLanes];
  vstore(sum, vfma(vset(state.sum), keep, vmul(vset(run.sum), add)));
  state.max = max;
  state.sum = sum[0];
  for (int64_t i = 0; i < padded_dim; i += kLanes)
    vstore(state.values + i, vfma(vload(state.values + i), keep, vmul(vload(run.values + i), add)));
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
