#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "kernels/step.h"
#include "runtime/binding.h"
#include "runtime/context.h"
#include "runtime/extent.h"

namespace legato::runtime {

/// The sequences of one step as the kernels see them. Everything a caller can get wrong is judged
/// here, before anything changes. Its memory is taken once.
class StepBatch {
 public:
  StepBatch(const kernels::Limits& limits, int64_t vocab_size,
            std::vector<KvLayerSpec> cache_layers);

  /// Limits, ids, context lengths, caches; kInvalidArgument or kResourceExhausted naming the
  /// sequence and both numbers.
  Status judge(std::span<const SequenceStep> sequences);
  /// Cache room for all of them or, on failure, for none.
  static Status reserve(std::span<const SequenceStep> sequences);
  /// Writes ids, positions and logit rows (buffers by StepInput) and the spans of the sequences.
  void fill(std::span<const SequenceStep> sequences,
            const std::array<int32_t*, kNumStepInputs>& buffers);

  /// Of the step that fill() saw last.
  const StepExtents& extents() const { return extents_; }
  const kernels::RaggedBatch& ragged() const { return ragged_; }

 private:
  Status judge_sequence(size_t index, const SequenceStep& sequence) const;
  Status judge_caches(std::span<const SequenceStep> sequences);

  kernels::Limits limits_;
  int64_t vocab_size_;
  std::vector<KvLayerSpec> cache_layers_;
  std::vector<const kvcache::SequenceCache*> sorted_;
  std::vector<kernels::SequenceSpan> spans_;
  kernels::RaggedBatch ragged_;
  StepExtents extents_;
};

}  // namespace legato::runtime
