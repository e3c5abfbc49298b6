#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "base/hash.h"
#include "kvcache/sequence_cache.h"

namespace legato::kvcache {

/// For tests: plays the part of the attention kernels. What it writes for a position depends on
/// salt and all tokens up to there, so that a foreign or stale block is seen.
inline const KvLayout kMarkLayout({{2, 3, 0, 0}, {1, 4, 0, 0}}, DType::kF32);

template <typename Visit>
void visit_marks(const SequenceCache& cache, int64_t first, std::span<const int32_t> tokens,
                 const std::string& salt, Visit&& visit) {
  const KvLayout& layout = cache.pool().layout();
  for (auto position = first; position < static_cast<int64_t>(tokens.size()); ++position) {
    const uint64_t mark = hash_bytes(std::as_bytes(tokens.first(static_cast<size_t>(position + 1))),
                                     hash_bytes(std::as_bytes(std::span(salt))));
    std::byte* block =
        cache.pool().data(cache.blocks()[static_cast<size_t>(position / kBlockTokens)]);
    const auto slot = static_cast<size_t>(position % kBlockTokens);
    for (size_t layer = 0; layer < layout.layers().size(); ++layer) {
      const KvLayerSpec& spec = layout.layers()[layer];
      const auto dim = static_cast<size_t>(spec.head_dim);
      for (int head = 0; head < spec.kv_heads; ++head) {
        std::byte* keys = block + layout.key_offset(static_cast<int>(layer), head);
        std::byte* values = block + layout.value_offset(static_cast<int>(layer), head);
        for (size_t d = 0; d < dim; ++d) {
          const auto part = static_cast<uint32_t>(mark >> (d * 5)) + static_cast<uint32_t>(layer);
          visit(keys + (d * kBlockTokens + slot) * 4, part);
          visit(values + (slot * dim + d) * 4, ~part);
        }
      }
    }
  }
}

/// Appends tokens as a step would: reserve, write, commit.
inline Status append_marked(SequenceCache& cache, std::span<const int32_t> tokens,
                            const std::string& salt) {
  LEGATO_RETURN_IF_ERROR(cache.reserve(static_cast<int64_t>(tokens.size())));
  std::vector<int32_t> all(cache.tokens().begin(), cache.tokens().end());
  all.insert(all.end(), tokens.begin(), tokens.end());
  visit_marks(cache, cache.length(), all, salt,
              [](std::byte* at, uint32_t mark) { std::memcpy(at, &mark, 4); });
  cache.commit(tokens);
  return {};
}

/// How many elements do not hold what append_marked() wrote for this sequence.
inline int64_t wrong_marks(const SequenceCache& cache, const std::string& salt) {
  int64_t wrong = 0;
  visit_marks(cache, 0, cache.tokens(), salt,
              [&wrong](std::byte* at, uint32_t mark) { wrong += std::memcmp(at, &mark, 4) != 0; });
  return wrong;
}

}  // namespace legato::kvcache
