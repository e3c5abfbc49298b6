#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/normalizer.h"

namespace legato::tokenizer {
namespace {

constexpr size_t kMaxBlobBytes = 16 << 20;
constexpr size_t kMaxReplacementBytes = 256;
// Longer clusters are looked up character by character.
constexpr size_t kMaxClusterBytes = 5;

/// Decodes standard base64; nullopt when `text` is none.
std::optional<std::string> decode_base64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (++count % 4 == 1) continue;
    out += static_cast<char>(bits >> (6 - 2 * ((count + 3) % 4)) & 0xFF);
  }
  return out;
}

/// SentencePiece's compiled character map: a Darts double-array trie from byte strings to offsets
/// of zero-terminated replacements. The blob is untrusted: each step is checked against its size.
class CharacterMap {
 public:
  CharacterMap(std::vector<uint32_t> units, std::string replacements)
      : units_(std::move(units)), replacements_(std::move(replacements)) {}

  /// The replacement of the shortest key that is a beginning of `chunk`.
  std::optional<std::string_view> find(std::string_view chunk) const {
    size_t node = 0;
    uint32_t unit = units_[0];
    node ^= offset(unit);
    for (const char byte : chunk) {
      const auto label = static_cast<uint8_t>(byte);
      if (label == 0) return std::nullopt;
      node ^= label;
      if (node >= units_.size()) return std::nullopt;
      unit = units_[node];
      if ((unit & (1u << 31 | 0xFF)) != label) return std::nullopt;
      node ^= offset(unit);
      if (node >= units_.size()) return std::nullopt;
      if ((unit >> 8 & 1) != 0) return replacement(units_[node] & ~(1u << 31));
    }
    return std::nullopt;
  }

 private:
  static size_t offset(uint32_t unit) { return size_t{unit >> 10} << ((unit & 1u << 9) >> 6); }

  std::optional<std::string_view> replacement(size_t at) const {
    if (at >= replacements_.size()) return std::nullopt;
    if (is_continuation(replacements_[at])) return std::nullopt;
    return std::string_view(replacements_.c_str() + at);
  }

  std::vector<uint32_t> units_;
  std::string replacements_;
};

class Precompiled : public Normalizer {
 public:
  explicit Precompiled(CharacterMap map) : map_(std::move(map)) {}

  Status apply(TrackedText& text) const override {
    TextRewriter out(text);
    const std::string_view bytes = text.bytes;
    for (size_t begin = 0; begin < bytes.size();) {
      const size_t end = cluster_end(bytes, begin);
      std::optional<std::string_view> whole;
      if (end - begin <= kMaxClusterBytes) whole = map_.find(bytes.substr(begin, end - begin));
      if (whole)
        out.put(*whole, begin, end);
      else
        by_character(bytes, begin, end, out);
      begin = end;
    }
    return out.finish(text);
  }

 private:
  void by_character(std::string_view bytes, size_t begin, size_t end, TextRewriter& out) const {
    while (begin < end) {
      const size_t next = begin + utf8_length(bytes[begin]);
      const auto mapped = map_.find(bytes.substr(begin, next - begin));
      if (mapped)
        out.put(*mapped, begin, next);
      else
        out.copy(begin, next);
      begin = next;
    }
  }

  /// End of the extended grapheme cluster that begins at `begin`.
  static size_t cluster_end(std::string_view bytes, size_t begin) {
    size_t position = begin;
    auto previous = static_cast<utf8proc_int32_t>(next_code_point(bytes, position));
    utf8proc_int32_t state = 0;
    while (position < bytes.size()) {
      const size_t end = position;
      const auto current = static_cast<utf8proc_int32_t>(next_code_point(bytes, position));
      if (utf8proc_grapheme_break_stateful(previous, current, &state)) return end;
      previous = current;
    }
    return position;
  }

  CharacterMap map_;
};

}  // namespace

Result<NormalizerPtr> make_precompiled(const Json& json, const std::string& where,
                                       const std::string& place) {
  Fields fields(json, where, place);
  const std::string text = fields.required_text("precompiled_charsmap");
  if (!fields.status().ok()) return fields.status();
  const auto malformed = [&](std::string why) {
    return fail(Code::kMalformed, where,
                fmt::format("{} {}", fields.name("precompiled_charsmap"), std::move(why)));
  };
  const auto blob = text.size() <= kMaxBlobBytes ? decode_base64(text) : std::nullopt;
  if (!blob) return malformed("is not base64 of at most 16 MiB");
  static_assert(std::endian::native == std::endian::little);
  uint32_t trie_bytes = 0;
  if (blob->size() < sizeof(trie_bytes)) return malformed("is shorter than its header");
  std::memcpy(&trie_bytes, blob->data(), sizeof(trie_bytes));
  if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes > blob->size() - sizeof(trie_bytes))
    return malformed(fmt::format("says that its trie has {} bytes of {}", trie_bytes,
                                 blob->size() - sizeof(trie_bytes)));
  std::vector<uint32_t> units(trie_bytes / 4);
  std::memcpy(units.data(), blob->data() + sizeof(trie_bytes), trie_bytes);
  std::string replacements = blob->substr(sizeof(trie_bytes) + trie_bytes);
  if (!is_utf8(replacements)) return malformed("has replacements that are no UTF-8");
  for (size_t begin = 0; begin < replacements.size();) {
    const size_t end = std::min(replacements.find('\0', begin), replacements.size());
    if (end - begin > kMaxReplacementBytes)
      return malformed(fmt::format("has a replacement of {} bytes, expected at most {}",
                                   end - begin, kMaxReplacementBytes));
    begin = end + 1;
  }
  return NormalizerPtr(
      std::make_unique<Precompiled>(CharacterMap(std::move(units), std::move(replacements))));
}

}  // namespace legato::tokenizer
