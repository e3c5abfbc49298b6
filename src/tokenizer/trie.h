#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace legato::tokenizer {

/// A prefix tree over byte strings in three flat arrays. Immutable once built; any thread may read.
class Trie {
 public:
  struct Entry {
    std::string_view key;
    int32_t value;
  };

  Trie() = default;
  /// Of equal keys the first one keeps its value. Empty keys are left out.
  explicit Trie(std::vector<Entry> entries);

  bool empty() const { return first_child_.size() < 2; }

  /// Calls visit(length, value) for each key that is a beginning of `text`, shortest first.
  template <typename Visit>
  void prefixes(std::string_view text, Visit&& visit) const {
    if (empty()) return;
    uint32_t node = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<uint8_t>(text[i]));
      if (node == 0) return;
      if (values_[node] >= 0) visit(i + 1, values_[node]);
    }
  }

  /// False when no key starts with this byte.
  bool may_start(char byte) const { return root_[static_cast<uint8_t>(byte)] != 0; }

 private:
  /// 0 (the root, nobody's child) when there is none.
  uint32_t child(uint32_t node, uint8_t label) const {
    if (node == 0) return root_[label];
    uint32_t low = first_child_[node];
    uint32_t high = first_child_[node + 1];
    while (high - low > 8) {
      const uint32_t middle = low + (high - low) / 2;
      (labels_[middle] <= label ? low : high) = middle;
    }
    for (; low < high; ++low)
      if (labels_[low] == label) return low;
    return 0;
  }

  std::array<uint32_t, 256> root_{};
  /// Nodes in breadth-first order: the children of n are [first_child_[n], first_child_[n + 1]).
  std::vector<uint32_t> first_child_;
  std::vector<uint8_t> labels_;
  /// -1 where no key ends.
  std::vector<int32_t> values_;
};

}  // namespace legato::tokenizer
