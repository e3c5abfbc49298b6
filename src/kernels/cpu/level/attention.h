#pragma once

#include "kernels/cpu/level/types.h"

namespace legato::kernels::cpu {

/// One launch of attention over the paged cache. A head's keys lie in a block as
/// [head_dim][32 tokens], its values as [32 tokens][head_dim]; heads lie head_bytes apart.
struct AttentionWork {
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  int64_t rotary_dim = 0;
  bool interleaved = false;
  int64_t window = 0;
  int64_t sinks = 0;
  float scale = 1;
  float softcap = 0;
  float norm_epsilon = 0;

  const float* q = nullptr;
  const float* k = nullptr;
  const float* v = nullptr;
  int64_t q_stride = 0;
  int64_t k_stride = 0;
  int64_t v_stride = 0;
  const float* rope_table = nullptr;
  int64_t rope_stride = 0;
  const float* q_norm = nullptr;
  const float* k_norm = nullptr;
  float* out = nullptr;
  int64_t out_stride = 0;

  char* cache = nullptr;
  int64_t block_bytes = 0;
  int64_t key_offset = 0;
  int64_t value_offset = 0;
  int64_t head_bytes = 0;
  Element element = Element::kF32;
};

struct SequenceWork {
  int64_t first_token = 0;
  int64_t num_tokens = 0;
  int64_t past = 0;
  const int32_t* blocks = nullptr;
};

/// Consecutive tokens of a sequence (counted within the step) and the kv heads [head, head_end).
struct AttentionTask {
  int64_t token = 0;
  int64_t tokens = 1;
  int64_t head = 0;
  int64_t head_end = 0;
};

inline constexpr int64_t kMaxHeadDim = kBlockK;
/// Query rows (tokens times heads of a kv head) that one task should have.
inline constexpr int64_t kTaskRows = 96;

/// Sums are taken per run of kBlockK positions, counted from position 0, and the runs are folded
/// in order: neither the step's shape nor the split into tasks changes a bit.
struct AttentionKernels {
  /// Floats of scratch for a task of `rows` query rows.
  int64_t (*scratch_floats)(int64_t rows, int64_t head_dim);
  /// Floats that attend_run() writes for `rows` query rows.
  int64_t (*partial_floats)(int64_t rows, int64_t head_dim);
  /// Normalises, rotates and rounds the task's keys and values and writes them to the cache.
  void (*append)(const AttentionWork& work, const SequenceWork& sequence,
                 const AttentionTask& task);
  /// Output of the task's queries for one kv head; keys and values must be in the cache.
  void (*attend)(const AttentionWork& work, const SequenceWork& sequence, const AttentionTask& task,
                 float* scratch);
  /// What run `run` contributes to a task of one token, into `partial`.
  void (*attend_run)(const AttentionWork& work, const SequenceWork& sequence,
                     const AttentionTask& task, int64_t run, float* partial, float* scratch);
  /// Output of a task of one token from its partial results of runs 0, 1, ..., runs - 1.
  void (*merge_runs)(const AttentionWork& work, const SequenceWork& sequence,
                     const AttentionTask& task, int64_t runs, const float* partials);
};

}  // namespace legato::kernels::cpu
