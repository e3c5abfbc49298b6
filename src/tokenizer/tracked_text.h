#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace legato::tokenizer {

/// Text on its way through the normalizers.
struct TrackedText {
  std::string bytes;
  /// One char a byte of `bytes`: 1 where it comes from content, which must not form special tokens.
  /// Empty when nobody asked.
  std::string content;
  /// The first character stands at the very beginning of the whole input.
  bool at_start = true;
  /// A longer text is refused: tokenizer files are untrusted, and a few of their rules in a row
  /// could turn a short text into one that fills the memory.
  size_t max_bytes = 1 << 20;

  bool tracked() const { return content.size() == bytes.size() && !bytes.empty(); }
};

/// Writes the successor of a TrackedText and carries its origins along.
class TextRewriter {
 public:
  explicit TextRewriter(const TrackedText& from) : from_(from), tracked_(from.tracked()) {
    out_.bytes.reserve(from.bytes.size() + from.bytes.size() / 8);
    out_.at_start = from.at_start;
    out_.max_bytes = from.max_bytes;
  }

  /// Keeps bytes [begin, end).
  void copy(size_t begin, size_t end);
  /// `replacement` stands for bytes [begin, end); empty drops them.
  void put(std::string_view replacement, size_t begin, size_t end);

  /// Replaces `text` by what was written; kResourceExhausted when that grew beyond max_bytes.
  Status finish(TrackedText& text);

 private:
  const TrackedText& from_;
  const bool tracked_;
  TrackedText out_;
  bool overflow_ = false;
};

}  // namespace legato::tokenizer
