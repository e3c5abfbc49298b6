#pragma once

#include "tokenizer/merge_table.h"
#include "tokenizer/model.h"

namespace legato::tokenizer {

/// Merges neighbours of scratch.ids until no merge is left: always the one of lowest rank, of equal
/// ranks the leftmost. O(n log n).
void apply_merges(const MergeTable& merges, ModelScratch& scratch);

}  // namespace legato::tokenizer
