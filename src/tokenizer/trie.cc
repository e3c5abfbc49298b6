#include "tokenizer/trie.h"

#include <algorithm>

namespace legato::tokenizer {

Trie::Trie(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& entry) { return entry.key.empty(); });
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.key < b.key; });

  /// A node still to be expanded: the entries that share its first `depth` bytes.
  struct Range {
    size_t begin, end, depth;
  };
  std::vector<Range> nodes{{0, entries.size(), 0}};
  labels_.push_back(0);
  for (size_t node = 0; node < nodes.size(); ++node) {
    auto [begin, end, depth] = nodes[node];
    first_child_.push_back(static_cast<uint32_t>(nodes.size()));
    values_.push_back(-1);
    // Keys that end here sort before the longer ones.
    for (; begin < end && entries[begin].key.size() == depth; ++begin)
      if (values_.back() < 0) values_.back() = entries[begin].value;
    while (begin < end) {
      const auto label = static_cast<uint8_t>(entries[begin].key[depth]);
      size_t last = begin + 1;
      while (last < end && static_cast<uint8_t>(entries[last].key[depth]) == label) ++last;
      if (node == 0) root_[label] = static_cast<uint32_t>(nodes.size());
      nodes.push_back({begin, last, depth + 1});
      labels_.push_back(label);
      begin = last;
    }
  }
  first_child_.push_back(static_cast<uint32_t>(nodes.size()));
}

}  // namespace legato::tokenizer
