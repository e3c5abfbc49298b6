#include "tokenizer/chat_template/text_ops.h"

#include <algorithm>

#include "base/checked.h"
#include "tokenizer/chat_template/unicode.h"
#include "tokenizer/chat_template/value_ops.h"

namespace legato::tokenizer::jinja {
namespace {

constexpr size_t kNpos = std::string_view::npos;

size_t previous_character(std::string_view bytes, size_t end) {
  do --end;
  while (end > 0 && (static_cast<unsigned char>(bytes[end]) & 0xC0) == 0x80);
  return end;
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

/// Holds the pieces of one split within the budget while they are made.
class Pieces {
 public:
  Pieces(Context& context, const Text& text) : text_(text), charge_(context.budget, 0) {}

  void add(size_t begin, size_t end) {
    pieces_.push_back(text_.slice(begin, end));
    charge_.grow(sizeof(Text) + pieces_.back().held_bytes());
  }
  std::vector<Text>& get() { return pieces_; }

 private:
  const Text& text_;
  Charge charge_;
  std::vector<Text> pieces_;
};

std::vector<Text> split_at_space(Context& context, const Text& text, int64_t max_splits) {
  Pieces pieces(context, text);
  const std::string& bytes = text.bytes();
  size_t at = 0;
  const auto skip_while = [&](bool space) {
    while (at < bytes.size()) {
      size_t next = at;
      if (is_space(next_code_point(bytes, next)) != space) return;
      at = next;
    }
  };
  for (skip_while(true); at < bytes.size(); skip_while(true)) {
    if (max_splits-- == 0) {
      pieces.add(at, bytes.size());
      break;
    }
    const size_t begin = at;
    skip_while(false);
    pieces.add(begin, at);
  }
  return std::move(pieces.get());
}

std::vector<Text> split_right_at_space(Context& context, const Text& text, int64_t max_splits) {
  Pieces pieces(context, text);
  const std::string& bytes = text.bytes();
  size_t end = bytes.size();
  const auto skip_while = [&](bool space) {
    while (end > 0) {
      const size_t begin = previous_character(bytes, end);
      size_t next = begin;
      if (is_space(next_code_point(bytes, next)) != space) return;
      end = begin;
    }
  };
  for (skip_while(true); end > 0; skip_while(true)) {
    if (max_splits-- == 0) {
      pieces.add(0, end);
      break;
    }
    const size_t stop = end;
    skip_while(false);
    pieces.add(end, stop);
  }
  std::reverse(pieces.get().begin(), pieces.get().end());
  return std::move(pieces.get());
}

}  // namespace

ReverseFinder::ReverseFinder(Context& context, std::string_view bytes, std::string_view needle)
    : context_(context),
      charge_(context.budget, bytes.size() + needle.size()),
      bytes_(bytes.rbegin(), bytes.rend()),
      needle_(needle.rbegin(), needle.rend()) {}

size_t ReverseFinder::find_last(size_t end) const {
  const size_t at = find_bytes(context_, bytes_, needle_, bytes_.size() - end);
  return at == kNpos ? kNpos : bytes_.size() - at - needle_.size();
}

Text strip(Context& context, const Text& text, const std::optional<Text>& characters, Side side) {
  const std::string& bytes = text.bytes();
  context.budget.scan(text.size());
  const auto goes = [&](size_t begin, size_t end) {
    size_t at = begin;
    if (!characters) return is_space(next_code_point(bytes, at));
    context.budget.work();
    return find_bytes(context, characters->bytes(),
                      std::string_view(bytes).substr(begin, end - begin)) != kNpos;
  };
  size_t begin = 0;
  size_t end = bytes.size();
  while (side != Side::kRight && begin < end) {
    size_t next = begin;
    next_code_point(bytes, next);
    if (!goes(begin, next)) break;
    begin = next;
  }
  while (side != Side::kLeft && begin < end) {
    const size_t previous = previous_character(bytes, end);
    if (!goes(previous, end)) break;
    end = previous;
  }
  return text.slice(begin, end);
}

std::vector<Text> split(Context& context, const Text& text, const std::optional<Text>& separator,
                        int64_t max_splits) {
  context.budget.scan(text.size());
  if (!separator) return split_at_space(context, text, max_splits);
  Pieces pieces(context, text);
  size_t begin = 0;
  for (; max_splits != 0; --max_splits) {
    const size_t at = find_bytes(context, text.bytes(), separator->bytes(), begin);
    if (at == kNpos) break;
    pieces.add(begin, at);
    begin = at + separator->size();
  }
  pieces.add(begin, text.size());
  return std::move(pieces.get());
}

std::vector<Text> split_right(Context& context, const Text& text,
                              const std::optional<Text>& separator, int64_t max_splits) {
  context.budget.scan(text.size());
  if (!separator) return split_right_at_space(context, text, max_splits);
  Pieces pieces(context, text);
  const ReverseFinder finder(context, text.bytes(), separator->bytes());
  size_t end = text.size();
  for (; max_splits != 0; --max_splits) {
    const size_t at = finder.find_last(end);
    if (at == kNpos) break;
    pieces.add(at + separator->size(), end);
    end = at;
  }
  pieces.add(0, end);
  std::reverse(pieces.get().begin(), pieces.get().end());
  return std::move(pieces.get());
}

std::vector<Text> split_lines(Context& context, const Text& text, bool keep_ends) {
  context.budget.work(text.size() / 8);
  Pieces pieces(context, text);
  const std::string& bytes = text.bytes();
  size_t begin = 0;
  for (size_t at = 0; at < bytes.size();) {
    const size_t end = at;
    const char32_t c = next_code_point(bytes, at);
    if (!is_line_end(c)) continue;
    if (c == '\r' && at < bytes.size() && bytes[at] == '\n') ++at;
    pieces.add(begin, keep_ends ? at : end);
    begin = at;
  }
  if (begin < bytes.size()) pieces.add(begin, bytes.size());
  return std::move(pieces.get());
}

Text replace(Context& context, const Text& text, const Text& from, const Text& to,
             int64_t max_count) {
  Charge charge(context.budget, 0);
  Text out;
  const auto append = [&](const Text& source, size_t begin, size_t end) {
    context.budget.require_string(out.size() + end - begin);
    const size_t held = out.held_bytes();
    out.append_slice(source, begin, end);
    charge.grow(out.held_bytes() - held);
    context.budget.work();
  };
  size_t begin = 0;
  for (size_t search = 0; max_count != 0; --max_count) {
    size_t at = find_bytes(context, text.bytes(), from.bytes(), search);
    if (at == kNpos) break;
    append(text, begin, at);
    append(to, 0, to.size());
    begin = at + from.size();
    search = begin;
    if (!from.empty()) continue;
    // An empty pattern stands before every character and at the end.
    if (at >= text.size()) break;
    next_code_point(text.bytes(), search);
  }
  append(text, begin, text.size());
  return out;
}

Text pad(Context& context, const Text& text, int64_t width, Side side, const Text& fill) {
  const auto length = static_cast<int64_t>(count_code_points(text.bytes()));
  context.budget.scan(text.size());
  if (width <= length) return text;
  const auto missing = static_cast<uint64_t>(width - length);
  const auto size = checked_mul<uint64_t>(missing, fill.size());
  context.budget.require_string(
      checked_add<uint64_t>(size.value_or(~uint64_t{0} >> 1), text.size()).value_or(~uint64_t{0}));
  context.budget.work(missing / 4);
  // Python's centring puts the odd place to the left when the width is odd.
  const uint64_t left = side == Side::kLeft ? 0
                        : side == Side::kRight
                            ? missing
                            : missing / 2 + (missing & static_cast<uint64_t>(width) & 1);
  Text out;
  for (uint64_t i = 0; i < left; ++i) out.append(fill);
  out.append(text);
  for (uint64_t i = left; i < missing; ++i) out.append(fill);
  return out;
}

Value make_text_list(Context& context, std::vector<Text> parts, const Text& origin) {
  Items items;
  for (Text& part : parts) items.push_back(context.make_string(std::move(part)));
  return context.make_list(std::move(items), ListFlavour::kList, !origin.is_all_template());
}

bool has_only_case(const Text& text, bool upper) {
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text.bytes(), at);
    if (upper ? is_lower(c) : is_upper(c)) return false;
    any |= upper ? is_upper(c) : is_lower(c);
  }
  return any;
}

}  // namespace legato::tokenizer::jinja
