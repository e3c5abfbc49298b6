#pragma once

#include "tests/conformance/case.h"

namespace legato::conformance {

/// Shape and attributes of an attention problem.
struct AttentionOptions {
  std::string name;
  int64_t heads = 4;
  int64_t kv_heads = 2;
  int64_t head_dim = 64;
  int64_t rotary_dim = 0;  ///< 0: no rope
  bool interleaved = false;
  bool qk_norm = false;
  int64_t window = 0;
  int64_t sinks = 0;
  double softcap = 0;
  DType cache_dtype = DType::kF16;
};

/// A whole sequence's q, k, v and rope table, one row a position.
struct SequenceData {
  std::vector<float> q, k, v, rope;
};
SequenceData random_sequence(const AttentionOptions& options, int64_t positions, uint64_t seed);

/// One piece of a step: positions [past, past + tokens) of a sequence.
struct Piece {
  const SequenceData* data;
  int32_t past;
  int32_t tokens;
  std::vector<int32_t> blocks;
};

/// A step over these pieces; the cache is all NaN.
Case attention_case(const AttentionOptions& options, const std::vector<Piece>& pieces);

/// Blocks that so many positions take.
int32_t blocks_of(int64_t positions);

}  // namespace legato::conformance
