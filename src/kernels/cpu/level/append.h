#pragma once

#include "kernels/cpu/level/attention.h"
#include "kernels/cpu/level/norm.h"
#include "kernels/cpu/level/rope.h"
#include "kernels/cpu/level/tile.h"

/// Rows of q and k as attention uses them, and the way of keys and values into the cache.
namespace legato::kernels::cpu::LEGATO_CPU_LEVEL {
namespace {

/// Normalised (when there is a weight) and rotated (when there is a table) copy of one head.
inline void prepare_head(const AttentionWork& work, const float* source, const float* weight,
                         int64_t token, float* out) {
  NormSpec norm;
  if (weight != nullptr) norm = {Norm::kRms, work.norm_epsilon, weight, nullptr};
  norm_row(source, work.head_dim, norm, out, kBlockK);
  if (work.rope_table != nullptr)
    rotate_head(out, work.rope_table + token * work.rope_stride, work.rotary_dim, work.interleaved);
}

template <typename E>
void append_head(const AttentionWork& work, const SequenceWork& sequence, int64_t t, int64_t head) {
  using Type = typename E::Type;
  const int64_t token = sequence.first_token + t;
  const int64_t position = sequence.past + t;
  const int64_t slot = position % kPanelLanes;
  char* block = work.cache + sequence.blocks[position / kPanelLanes] * work.block_bytes +
                head * work.head_bytes;
  auto* keys = reinterpret_cast<Type*>(block + work.key_offset);
  auto* values = reinterpret_cast<Type*>(block + work.value_offset) + slot * work.head_dim;
  alignas(64) float row[kMaxHeadDim + kPanelLanes] = {};
  alignas(64) Type rounded[kMaxHeadDim + kPanelLanes];
  prepare_head(work, work.k + token * work.k_stride + head * work.head_dim, work.k_norm, token,
               row);
  for (int64_t i = 0; i < work.head_dim; i += kLanes) E::store(rounded + i, vload(row + i));
  for (int64_t i = 0; i < work.head_dim; ++i) keys[i * kPanelLanes + slot] = rounded[i];
  const float* v = work.v + token * work.v_stride + head * work.head_dim;
  for (int64_t i = 0; i < work.head_dim; i += kLanes)
    E::store(rounded + i, load_upto(v, work.head_dim, i));
  for (int64_t i = 0; i < work.head_dim; ++i) values[i] = rounded[i];
}

inline void append(const AttentionWork& work, const SequenceWork& sequence,
                   const AttentionTask& task) {
  for (int64_t head = task.head; head < task.head_end; ++head) {
    for (int64_t t = task.token; t < task.token + task.tokens; ++t) {
      if (work.element == Element::kF16) {
        append_head<F16>(work, sequence, t, head);
      } else if (work.element == Element::kBF16) {
        append_head<BF16>(work, sequence, t, head);
      } else {
        append_head<F32>(work, sequence, t, head);
      }
    }
  }
}

}  // namespace
}  // namespace legato::kernels::cpu::LEGATO_CPU_LEVEL
