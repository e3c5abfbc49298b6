#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tests/conformance/invariants/engines.h"

namespace legato::invariants {

/// What a sequence computes when it is alone: its tokens, of which the last ones were chosen
/// greedily, and the logits at every position.
struct Trace {
  std::vector<int32_t> tokens;
  std::vector<float> rows;
  size_t vocab = 0;

  size_t size() const { return tokens.size(); }
  std::span<const float> row(size_t position) const {
    return std::span(rows).subspan(position * vocab, vocab);
  }
  std::span<const int32_t> part(size_t first, size_t count) const {
    return std::span(tokens).subspan(first, count);
  }
};

/// Reproducible ids of the model's vocabulary.
std::vector<int32_t> random_prompt(const Runner& runner, size_t count, uint32_t seed);
int32_t greedy(std::span<const float> row);
/// The prompt in one step, then `generated` greedy tokens one by one, in a sequence of its own.
Trace trace_alone(Runner& runner, std::vector<int32_t> prompt, size_t generated);

/// Whether `count` rows of the last step, from `first_row` on, are those of the trace from
/// `position` on, bit for bit.
::testing::AssertionResult same_rows(const Runner& runner, size_t first_row, const Trace& trace,
                                     size_t position, size_t count);

/// Feeds the positions [cache.length(), end) in chunks and compares every row.
::testing::AssertionResult replay(Runner& runner, kvcache::SequenceCache& cache, const Trace& trace,
                                  size_t end, size_t chunk);

}  // namespace legato::invariants
