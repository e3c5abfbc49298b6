#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace legato::tokenizer::jinja {

/// A UTF-8 string whose bytes know their origin: the template (its literals and the special-token
/// variables) or content (messages, tools and other values of a request). Every operation keeps it
/// byte by byte; bytes derived from content are content.
class Text {
 public:
  /// Bytes up to `end` (from the run before) share one origin.
  struct Run {
    uint32_t end;
    bool is_template;
  };

  Text() = default;
  Text(std::string_view bytes, bool is_template) { append(bytes, is_template); }

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  std::span<const Run> runs() const { return runs_; }
  /// What it costs to hold.
  size_t held_bytes() const { return 64 + bytes_.size() + 48 * runs_.size(); }

  /// True when no byte is content.
  bool is_all_template() const;
  bool is_template_at(size_t position) const;

  void append(std::string_view bytes, bool is_template);
  void append(const Text& other) { append_slice(other, 0, other.size()); }
  /// Appends bytes [begin, end) of `other`.
  void append_slice(const Text& other, size_t begin, size_t end);
  Text slice(size_t begin, size_t end) const;

 private:
  size_t run_of(size_t position) const;

  std::string bytes_;
  std::vector<Run> runs_;
};

}  // namespace legato::tokenizer::jinja
