#include "tokenizer/merge_cuts.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace legato::tokenizer {
namespace {

/// Ids of the symbols that a token's text may begin or end with; -1: none.
using Ends = std::array<int32_t, 3>;

constexpr size_t kByteTokenBytes = 6;  // "<0x41>"

class EndFinder {
 public:
  EndFinder(const Vocabulary& vocabulary, const LeafSymbols& leaves)
      : vocabulary_(vocabulary), leaves_(leaves), unknown_(vocabulary.text(leaves.unknown_id)) {}

  Ends first(std::string_view text) const {
    if (text.empty()) return {-1, -1, -1};
    return {vocabulary_.find(text.substr(0, utf8_length(text[0]))),
            byte_token(text.substr(0, kByteTokenBytes)),
            text.starts_with(unknown_) ? leaves_.unknown_id : -1};
  }

  Ends last(std::string_view text) const {
    if (text.empty()) return {-1, -1, -1};
    size_t start = text.size() - 1;
    while (start > 0 && is_continuation(text[start])) --start;
    const size_t byte = text.size() - std::min(text.size(), kByteTokenBytes);
    return {vocabulary_.find(text.substr(start)), byte_token(text.substr(byte)),
            text.ends_with(unknown_) ? leaves_.unknown_id : -1};
  }

 private:
  int32_t byte_token(std::string_view text) const {
    if (leaves_.byte_ids.empty() || text.size() != kByteTokenBytes || !text.starts_with("<0x"))
      return -1;
    return vocabulary_.find(text);
  }

  const Vocabulary& vocabulary_;
  const LeafSymbols& leaves_;
  std::string_view unknown_;
};

}  // namespace

MergeCuts::MergeCuts(std::span<const Merge> merges, const Vocabulary& vocabulary,
                     const LeafSymbols& leaves) {
  const EndFinder finder(vocabulary, leaves);
  const auto text = [&](uint32_t id) { return vocabulary.text(static_cast<int32_t>(id)); };
  for (const Merge& merge : merges) {
    for (const int32_t left : finder.last(text(merge.left))) {
      if (left < 0) continue;
      for (const int32_t right : finder.first(text(merge.right)))
        if (right >= 0)
          joined_.insert(uint64_t{static_cast<uint32_t>(left)} << 32 |
                         static_cast<uint32_t>(right));
    }
  }
}

}  // namespace legato::tokenizer
