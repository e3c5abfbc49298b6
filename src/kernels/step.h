#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/dtype.h"
#include "tensor/kv_layout.h"
#include "tensor/shape.h"
#include "tensor/weight_layout.h"

namespace legato::kernels {

/// The tokens of one sequence within a step. Its positions are past_tokens, past_tokens + 1, ...
struct SequenceSpan {
  int32_t first_token = 0;  ///< index of its first token among the step's packed tokens
  int32_t num_tokens = 0;
  int32_t past_tokens = 0;  ///< positions that the cache holds already
  const int32_t* blocks =
      nullptr;  ///< physical block of positions [i*kBlockTokens, (i+1)*kBlockTokens)
};

/// Which packed token belongs to which sequence. Spans lie one after the other and cover all tokens
/// of the step.
struct RaggedBatch {
  std::span<const SequenceSpan> sequences;
  int32_t num_tokens = 0;
};

/// The block pool as a kernel sees it: block b starts at base + b * layout->block_bytes().
struct KvView {
  std::byte* base = nullptr;
  const KvLayout* layout = nullptr;
  std::byte* block(int32_t index) const {
    return base + static_cast<size_t>(index) * layout->block_bytes();
  }
};

/// One tensor of a launch. Rank-2 operands may have rows that lie apart (a column slice of a wider
/// tensor).
struct Operand {
  void* data = nullptr;  ///< null: the optional operand is absent
  DType dtype = DType::kF32;
  WeightLayout layout = WeightLayout::kPlain;
  Shape shape;
  int64_t row_stride = 0;  ///< elements from one row (index of all but the last axis) to the next

  bool present() const { return data != nullptr; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
  /// Rows when all axes but the last are taken as one.
  int64_t rows() const {
    int64_t product = 1;
    for (int axis = 0; axis + 1 < shape.rank(); ++axis) product *= shape[axis];
    return product;
  }
  int64_t columns() const { return shape.rank() == 0 ? 1 : shape[shape.rank() - 1]; }
};

/// The most that any step of an execution context may ask for; workspace and buffers are sized by
/// it once.
struct Limits {
  int64_t max_tokens = 1;      ///< packed tokens of a step
  int64_t max_logit_rows = 1;  ///< rows of logits of a step
  int64_t max_sequences = 1;
  int64_t max_context = 1;  ///< positions of the longest sequence
  int threads = 1;
};

/// All that a kernel gets at launch. Pointers stay valid until the step ends.
struct LaunchArgs {
  std::span<const Operand> inputs;
  std::span<const Operand> outputs;
  std::byte* workspace =
      nullptr;  ///< workspace_bytes(limits) bytes, 64-byte aligned, shared by all members of a team
  const RaggedBatch* batch = nullptr;
  const KvView* kv = nullptr;
};

}  // namespace legato::kernels
