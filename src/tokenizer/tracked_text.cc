#include "tokenizer/tracked_text.h"

#include <fmt/format.h>

namespace legato::tokenizer {

void TextRewriter::copy(size_t begin, size_t end) {
  if (end - begin + out_.bytes.size() > from_.max_bytes) {
    overflow_ = true;
    return;
  }
  out_.bytes.append(from_.bytes, begin, end - begin);
  if (tracked_) out_.content.append(from_.content, begin, end - begin);
}

void TextRewriter::put(std::string_view replacement, size_t begin, size_t end) {
  if (replacement.empty()) {
    // What follows a dropped beginning no longer stands at the start.
    if (begin < end && out_.bytes.empty()) out_.at_start = false;
    return;
  }
  if (replacement.size() + out_.bytes.size() > from_.max_bytes) {
    overflow_ = true;
    return;
  }
  out_.bytes += replacement;
  if (!tracked_) return;
  const bool content = std::string_view(from_.content).substr(begin, end - begin).find('\1') !=
                       std::string_view::npos;
  out_.content.append(replacement.size(), content ? '\1' : '\0');
}

Status TextRewriter::finish(TrackedText& text) {
  if (overflow_)
    return fail(Code::kResourceExhausted, "",
                fmt::format("the tokenizer's normalizer makes a text of {} bytes grow beyond {}",
                            from_.bytes.size(), from_.max_bytes));
  text = std::move(out_);
  return {};
}

}  // namespace legato::tokenizer
