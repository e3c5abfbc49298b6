#include "runtime/step_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/counted.h"

namespace legato::runtime {
namespace {

int64_t rows_of(const SequenceStep& sequence) {
  switch (sequence.logits) {
    case SequenceStep::Logits::kNone:
      return 0;
    case SequenceStep::Logits::kLast:
      return 1;
    case SequenceStep::Logits::kAll:
      return static_cast<int64_t>(sequence.tokens.size());
  }
  return 0;
}

Status refuse(Code code, size_t index, std::string message) {
  return fail(code, fmt::format("sequence {}", index), std::move(message));
}

Status judge_sum(const char* what, int64_t sum, int64_t limit) {
  if (sum <= limit) return {};
  return fail(Code::kResourceExhausted, "step",
              fmt::format("{} {}, this context takes {} at most", sum, what, limit));
}

}  // namespace

StepBatch::StepBatch(const kernels::Limits& limits, int64_t vocab_size,
                     std::vector<KvLayerSpec> cache_layers)
    : limits_(limits), vocab_size_(vocab_size), cache_layers_(std::move(cache_layers)) {
  sorted_.reserve(static_cast<size_t>(limits.max_sequences));
  spans_.reserve(static_cast<size_t>(limits.max_sequences));
}

Status StepBatch::judge(std::span<const SequenceStep> sequences) {
  if (sequences.empty())
    return fail(Code::kInvalidArgument, "step", "no sequence, expected one at least");
  LEGATO_RETURN_IF_ERROR(
      judge_sum("sequences", static_cast<int64_t>(sequences.size()), limits_.max_sequences));
  StepExtents sum;
  for (size_t i = 0; i < sequences.size(); ++i) {
    LEGATO_RETURN_IF_ERROR(judge_sequence(i, sequences[i]));
    sum.tokens += static_cast<int64_t>(sequences[i].tokens.size());
    sum.logit_rows += rows_of(sequences[i]);
  }
  LEGATO_RETURN_IF_ERROR(judge_sum("tokens", sum.tokens, limits_.max_tokens));
  LEGATO_RETURN_IF_ERROR(judge_sum("rows of logits", sum.logit_rows, limits_.max_logit_rows));
  return judge_caches(sequences);
}

Status StepBatch::judge_sequence(size_t index, const SequenceStep& sequence) const {
  if (sequence.cache == nullptr) return refuse(Code::kInvalidArgument, index, "has no cache");
  if (sequence.tokens.empty())
    return refuse(Code::kInvalidArgument, index, "has no tokens, expected one at least");
  const auto count = static_cast<int64_t>(sequence.tokens.size());
  const int64_t room = limits_.max_context - sequence.cache->length();
  if (count > room)
    return refuse(Code::kResourceExhausted, index,
                  fmt::format("{} after {}, its context has {}", counted(count, "token"),
                              counted(sequence.cache->length(), "position"), limits_.max_context));
  for (const int32_t id : sequence.tokens) {
    if (id < 0 || id >= vocab_size_)
      return refuse(Code::kInvalidArgument, index,
                    fmt::format("token {}, expected 0 to {}", id, vocab_size_ - 1));
  }
  return {};
}

Status StepBatch::judge_caches(std::span<const SequenceStep> sequences) {
  const kvcache::BlockPool& pool = sequences[0].cache->pool();
  if (pool.layout().layers() != cache_layers_)
    return refuse(Code::kInvalidArgument, 0,
                  fmt::format("its cache has {} layers that are not the engine's {}",
                              pool.layout().layers().size(), cache_layers_.size()));
  sorted_.clear();
  for (size_t i = 0; i < sequences.size(); ++i) {
    if (&sequences[i].cache->pool() != &pool)
      return refuse(Code::kInvalidArgument, i, "its cache lies in another pool than sequence 0's");
    sorted_.push_back(sequences[i].cache);
  }
  std::sort(sorted_.begin(), sorted_.end());
  if (std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end())
    return fail(Code::kInvalidArgument, "step", "two of its sequences have the same cache");
  return {};
}

Status StepBatch::reserve(std::span<const SequenceStep> sequences) {
  for (size_t i = 0; i < sequences.size(); ++i) {
    kvcache::SequenceCache& cache = *sequences[i].cache;
    const Status status = cache.reserve(static_cast<int64_t>(sequences[i].tokens.size()));
    if (status.ok()) continue;
    for (const SequenceStep& earlier : sequences.first(i))
      LEGATO_CHECK(earlier.cache->truncate(earlier.cache->length()).ok());
    return refuse(status.code, i, status.to_string());
  }
  return {};
}

void StepBatch::fill(std::span<const SequenceStep> sequences,
                     const std::array<int32_t*, kNumStepInputs>& buffers) {
  int32_t* ids = buffers[static_cast<size_t>(StepInput::kInputIds)];
  int32_t* positions = buffers[static_cast<size_t>(StepInput::kPositions)];
  int32_t* rows = buffers[static_cast<size_t>(StepInput::kLogitRows)];
  spans_.clear();
  int32_t token = 0, row = 0;
  for (const SequenceStep& sequence : sequences) {
    const auto past = static_cast<int32_t>(sequence.cache->length());
    const auto count = static_cast<int32_t>(sequence.tokens.size());
    spans_.push_back({token, count, past, sequence.cache->blocks().data()});
    for (int32_t i = 0; i < count; ++i) {
      ids[token + i] = sequence.tokens[static_cast<size_t>(i)];
      positions[token + i] = past + i;
    }
    token += count;
    for (auto i = static_cast<int32_t>(rows_of(sequence)); i > 0; --i) rows[row++] = token - i;
  }
  extents_ = {token, row};
  ragged_ = {spans_, token};
}

}  // namespace legato::runtime
