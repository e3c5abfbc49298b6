#pragma once

#include <optional>
#include <vector>

#include "tokenizer/chat_template/context.h"

namespace legato::tokenizer::jinja {

enum class Side { kLeft, kRight, kBoth };

/// As str.strip: removes white space, or the characters in `characters`, at the given side.
Text strip(Context& context, const Text& text, const std::optional<Text>& characters, Side side);

/// As str.split and str.rsplit; without separator at runs of white space. `max_splits` < 0 means no
/// limit.
std::vector<Text> split(Context& context, const Text& text, const std::optional<Text>& separator,
                        int64_t max_splits);
std::vector<Text> split_right(Context& context, const Text& text,
                              const std::optional<Text>& separator, int64_t max_splits);
std::vector<Text> split_lines(Context& context, const Text& text, bool keep_ends);

/// Finds a needle from the right in linear time, by searching the mirrored bytes.
class ReverseFinder {
 public:
  ReverseFinder(Context& context, std::string_view bytes, std::string_view needle);
  /// Begin of the last occurrence that lies before `end`, or npos.
  size_t find_last(size_t end) const;

 private:
  Context& context_;
  Charge charge_;
  std::string bytes_;
  std::string needle_;
};

/// As str.replace; `max_count` < 0 means all.
Text replace(Context& context, const Text& text, const Text& from, const Text& to,
             int64_t max_count);

/// Pads to `width` code points; the text stands at `side`, kBoth centres it.
Text pad(Context& context, const Text& text, int64_t width, Side side, const Text& fill);

/// A list value of strings.
Value make_text_list(Context& context, std::vector<Text> parts, const Text& origin);

/// Whether text is all upper (or lower) case with at least one letter that has case.
bool has_only_case(const Text& text, bool upper);

}  // namespace legato::tokenizer::jinja
