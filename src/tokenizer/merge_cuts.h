#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tokenizer/merge_table.h"
#include "tokenizer/vocabulary.h"

namespace legato::tokenizer {

/// The symbols that a piece of text begins as, before any merge.
struct LeafSymbols {
  std::span<const int32_t> byte_ids;  ///< "<0x00>" to "<0xFF>", or empty
  int32_t unknown_id = -1;
};

/// Says between which symbols a piece may be cut without changing what BPE makes of it: where no
/// merge joins a token that ends with the left symbol and one that begins with the right one, what
/// stands on one side never touches the other. Immutable; any thread may read.
class MergeCuts {
 public:
  MergeCuts(std::span<const Merge> merges, const Vocabulary& vocabulary, const LeafSymbols& leaves);

  bool may_cut(uint32_t left, uint32_t right) const {
    return !joined_.contains(uint64_t{left} << 32 | right);
  }

 private:
  std::unordered_set<uint64_t> joined_;
};

}  // namespace legato::tokenizer
