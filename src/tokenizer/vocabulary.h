#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace legato::tokenizer {

/// Texts of token ids, both ways, in flat arrays. Immutable once built; any thread may read.
class Vocabulary {
 public:
  /// Ids above this are refused: no model has them, and tables are sized by the largest id.
  static constexpr int32_t kMaxId = (1 << 24) - 1;

  Vocabulary() = default;
  /// `blob` holds the texts one after the other; text i is [offsets[i], offsets[i + 1]). `present`
  /// has one bit an id, so that holes differ from empty texts. The arrays must be consistent.
  Vocabulary(std::string blob, std::vector<uint32_t> offsets, std::vector<uint8_t> present);

  struct Token {
    std::string text;
    int32_t id;
  };
  /// kMalformed when two tokens share an id or an id is out of range.
  static Result<Vocabulary> from_tokens(const std::vector<Token>& tokens, const std::string& where);

  /// One past the largest id.
  int32_t size() const { return static_cast<int32_t>(present_.size()); }
  /// Ids that have a text.
  int32_t count() const { return count_; }
  bool contains(int32_t id) const { return id >= 0 && id < size() && present_[id] != 0; }
  /// Empty for an id without text.
  std::string_view text(int32_t id) const {
    if (!contains(id)) return {};
    return std::string_view(blob_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  /// -1 when absent.
  int32_t find(std::string_view text) const;

  const std::string& blob() const { return blob_; }
  std::span<const uint32_t> offsets() const { return offsets_; }
  std::span<const uint8_t> present() const { return present_; }
  /// Bytes of the longest text.
  size_t longest() const { return longest_; }

 private:
  void build_table();

  std::string blob_;
  std::vector<uint32_t> offsets_;
  std::vector<uint8_t> present_;
  /// Open addressing, a power of two: id + 1, 0 when free.
  std::vector<uint32_t> table_;
  int32_t count_ = 0;
  size_t longest_ = 0;
};

/// The seed of this process's hash tables: unknown to whoever writes a file, so that no file can
/// make its keys collide.
uint64_t table_seed();

}  // namespace legato::tokenizer
