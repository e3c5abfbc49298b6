#include "tokenizer/bpe_merge.h"

#include <algorithm>

namespace legato::tokenizer {
namespace {

// Up to this many symbols, looking at all pairs beats keeping a heap.
constexpr size_t kShortWord = 48;

void merge_short(const MergeTable& merges, ModelScratch& scratch) {
  std::vector<uint32_t>& ids = scratch.ids;
  std::vector<uint32_t>& ranks = scratch.ranks;
  const auto rank_at = [&](size_t i) {
    return i + 1 < ids.size() ? merges.rank(ids[i], ids[i + 1]) : MergeTable::kNone;
  };
  ranks.resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) ranks[i] = rank_at(i);
  while (ids.size() > 1) {
    const auto lowest = std::min_element(ranks.begin(), ranks.end());
    if (*lowest == MergeTable::kNone) return;
    const auto i = static_cast<size_t>(lowest - ranks.begin());
    ids[i] = merges.result(*lowest);
    ids.erase(ids.begin() + static_cast<ptrdiff_t>(i) + 1);
    ranks.erase(ranks.begin() + static_cast<ptrdiff_t>(i) + 1);
    ranks[i] = rank_at(i);
    if (i > 0) ranks[i - 1] = rank_at(i - 1);
  }
}

/// A heap of due merges over a linked list of symbols; entries that symbols have moved on from are
/// recognised when they come up.
class LongWord {
 public:
  LongWord(const MergeTable& merges, ModelScratch& scratch)
      : merges_(merges), symbols_(scratch.symbols), heap_(scratch.candidates) {
    const auto count = static_cast<int32_t>(scratch.ids.size());
    symbols_.clear();
    heap_.clear();
    symbols_.reserve(scratch.ids.size());
    for (int32_t i = 0; i < count; ++i)
      symbols_.push_back({scratch.ids[i], i - 1, i + 1 < count ? i + 1 : -1, false});
    for (int32_t i = 0; i + 1 < count; ++i) {
      const uint32_t rank = merges_.rank(symbols_[i].id, symbols_[i + 1].id);
      if (rank != MergeTable::kNone) heap_.push_back({rank, i});
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  void run() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const auto [rank, position] = heap_.back();
      heap_.pop_back();
      auto& symbol = symbols_[position];
      if (symbol.merged_away || symbol.next < 0) continue;
      auto& right = symbols_[symbol.next];
      const uint32_t current = merges_.rank(symbol.id, right.id);
      if (current == MergeTable::kNone || merges_.result(current) != merges_.result(rank)) continue;
      symbol.id = merges_.result(rank);
      symbol.next = right.next;
      right.merged_away = true;
      if (right.next >= 0) symbols_[right.next].previous = position;
      if (symbol.previous >= 0) consider(symbol.previous);
      if (symbol.next >= 0) consider(position);
    }
  }

 private:
  static bool later(const ModelScratch::Candidate& a, const ModelScratch::Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.position > b.position;
  }

  void consider(int32_t position) {
    const auto& symbol = symbols_[position];
    const uint32_t rank = merges_.rank(symbol.id, symbols_[symbol.next].id);
    if (rank == MergeTable::kNone) return;
    heap_.push_back({rank, position});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  const MergeTable& merges_;
  std::vector<ModelScratch::Symbol>& symbols_;
  std::vector<ModelScratch::Candidate>& heap_;
};

}  // namespace

void apply_merges(const MergeTable& merges, ModelScratch& scratch) {
  if (scratch.ids.size() <= kShortWord) return merge_short(merges, scratch);
  LongWord(merges, scratch).run();
  scratch.ids.clear();
  for (int32_t i = 0; i >= 0; i = scratch.symbols[i].next)
    scratch.ids.push_back(scratch.symbols[i].id);
}

}  // namespace legato::tokenizer
