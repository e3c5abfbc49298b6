#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace legato::tokenizer {

/// Two neighbours that become one token.
struct Merge {
  uint32_t left;
  uint32_t right;
  uint32_t result;
};

/// Merges by rank (a lower one goes first), found by their pair. Immutable; any thread may read.
class MergeTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  MergeTable() = default;
  /// Of equal pairs the last one counts. `skip[id]` != 0: merges that result in `id` are left out.
  /// `merges` must outlive the table.
  MergeTable(std::span<const Merge> merges, std::span<const uint8_t> skip);

  /// The rank of the pair, or kNone.
  uint32_t rank(uint32_t left, uint32_t right) const {
    for (size_t slot = slot_of(left, right); table_[slot] != 0; slot = (slot + 1) & mask_) {
      const Merge& merge = merges_[table_[slot] - 1];
      if (merge.left == left && merge.right == right) return table_[slot] - 1;
    }
    return kNone;
  }
  uint32_t result(uint32_t rank) const { return merges_[rank].result; }

 private:
  size_t slot_of(uint32_t left, uint32_t right) const {
    const uint64_t key = (uint64_t{left} << 32 | right) ^ seed_;
    const uint64_t mixed = (key ^ key >> 29) * 0x9E3779B97F4A7C15u;
    return (mixed ^ mixed >> 32) & mask_;
  }

  std::span<const Merge> merges_;
  /// Open addressing, a power of two: rank + 1, 0 when free.
  std::vector<uint32_t> table_{0};
  size_t mask_ = 0;
  uint64_t seed_ = 0;
};

}  // namespace legato::tokenizer
