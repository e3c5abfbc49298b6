#include "tokenizer/merge_table.h"

#include <bit>

#include "tokenizer/vocabulary.h"

namespace legato::tokenizer {

MergeTable::MergeTable(std::span<const Merge> merges, std::span<const uint8_t> skip)
    : merges_(merges), seed_(table_seed()) {
  table_.assign(std::bit_ceil(merges_.size() * 3 / 2 + 2), 0);
  mask_ = table_.size() - 1;
  for (size_t rank = 0; rank < merges_.size(); ++rank) {
    const Merge& merge = merges_[rank];
    if (merge.result < skip.size() && skip[merge.result] != 0) continue;
    size_t slot = slot_of(merge.left, merge.right);
    while (table_[slot] != 0) {
      const Merge& other = merges_[table_[slot] - 1];
      if (other.left == merge.left && other.right == merge.right) break;
      slot = (slot + 1) & mask_;
    }
    table_[slot] = static_cast<uint32_t>(rank) + 1;
  }
}

}  // namespace legato::tokenizer
