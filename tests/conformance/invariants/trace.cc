#include "tests/conformance/invariants/trace.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

namespace legato::invariants {

std::vector<int32_t> random_prompt(const Runner& runner, size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const auto vocab = static_cast<uint32_t>(runner.engine->spec().model.vocab_size);
  std::vector<int32_t> prompt(count);
  for (int32_t& id : prompt) id = static_cast<int32_t>(random() % vocab);
  return prompt;
}

int32_t greedy(std::span<const float> row) {
  return static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

Trace trace_alone(Runner& runner, std::vector<int32_t> prompt, size_t generated) {
  Trace trace;
  trace.vocab = static_cast<size_t>(runner.engine->spec().model.vocab_size);
  kvcache::SequenceCache cache = runner.sequence();
  const auto feed = [&](const std::vector<int32_t>& tokens) {
    runner.step(cache, tokens);
    const std::span<const float> logits = runner.context->logits();
    trace.tokens.insert(trace.tokens.end(), tokens.begin(), tokens.end());
    trace.rows.insert(trace.rows.end(), logits.begin(), logits.end());
  };
  feed(prompt);
  for (size_t i = 0; i < generated; ++i) feed({greedy(trace.row(trace.size() - 1))});
  return trace;
}

::testing::AssertionResult same_rows(const Runner& runner, size_t first_row, const Trace& trace,
                                     size_t position, size_t count) {
  const std::span<const float> logits = runner.context->logits();
  if (logits.size() < (first_row + count) * trace.vocab || position + count > trace.size())
    return ::testing::AssertionFailure() << "rows are missing";
  for (size_t i = 0; i < count; ++i) {
    const auto found = logits.subspan((first_row + i) * trace.vocab, trace.vocab);
    const auto expected = trace.row(position + i);
    if (std::memcmp(found.data(), expected.data(), trace.vocab * sizeof(float)) == 0) continue;
    size_t different = 0;
    double largest = 0;
    for (size_t id = 0; id < trace.vocab; ++id) {
      different += found[id] != expected[id];
      largest = std::max(largest, std::abs(static_cast<double>(found[id]) - expected[id]));
    }
    return ::testing::AssertionFailure()
           << "position " << position + i << ": " << different << " of " << trace.vocab
           << " logits differ, by " << largest << " at most";
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult replay(Runner& runner, kvcache::SequenceCache& cache, const Trace& trace,
                                  size_t end, size_t chunk) {
  while (static_cast<size_t>(cache.length()) < end) {
    const auto position = static_cast<size_t>(cache.length());
    const size_t count = std::min(chunk, end - position);
    runner.step(cache, trace.part(position, count));
    if (auto same = same_rows(runner, 0, trace, position, count); !same)
      return same << " (chunks of " << chunk << ")";
  }
  return ::testing::AssertionSuccess();
}

}  // namespace legato::invariants
