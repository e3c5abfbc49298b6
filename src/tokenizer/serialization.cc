#include "tokenizer/serialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/checked.h"
#include "base/counted.h"
#include "base/utf8.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/fields.h"

namespace legato::tokenizer {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "LGTK";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kMaxTextBytesInFile = 128 << 20;
constexpr uint64_t kMaxMerges = 1 << 24;

struct Header {
  char magic[4];
  uint32_t version;
  uint64_t config_bytes;
  uint64_t slots;
  uint64_t text_bytes;
  uint64_t merges;
  uint64_t scores;
};
static_assert(sizeof(Header) == 48);

template <typename T>
void append(std::span<const T> values, std::string& out) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  out.resize(round_up(out.size(), 8), '\0');
}

/// Takes arrays off the front of the bytes.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// False when fewer than `count` values are left. `count` was bounded before.
  template <typename T>
  bool take(uint64_t count, std::vector<T>& out) {
    const uint64_t size = count * sizeof(T);
    if (!range_fits(offset_, size, bytes_.size())) return false;
    out.resize(count);
    if (size > 0) std::memcpy(out.data(), bytes_.data() + offset_, size);
    offset_ = round_up(offset_ + size, 8);
    return true;
  }

  bool take(uint64_t size, std::string& out) {
    if (!range_fits(offset_, size, bytes_.size())) return false;
    out.assign(reinterpret_cast<const char*>(bytes_.data()) + offset_, size);
    offset_ = round_up(offset_ + size, 8);
    return true;
  }

  bool at_end() const { return offset_ == bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  uint64_t offset_ = 0;
};

/// What every part of the assembled tokenizer relies on.
Status check_config(const Json& config, const std::string& where) {
  Fields fields(config, where, "config");
  for (const char* key : {"added_tokens", "prefix", "suffix"})
    if (!fields.child(key).is_array()) fields.wrong(key, "a list");
  for (const char* key : {"model", "named_tokens", "chat_templates"})
    if (!fields.child(key).is_object()) fields.wrong(key, "an object");
  for (const char* key : {"named_tokens", "chat_templates"})
    for (const Json& text : fields.child(key))
      if (!text.is_string()) fields.wrong(key, "an object of texts");
  if (config.contains("unused") && !config.at("unused").is_array())
    fields.wrong("unused", "a list");
  for (const char* key : {"prefix", "suffix", "unused"})
    for (const Json& id : fields.child(key))
      if (!id.is_number_integer() || id < 0 || id > Vocabulary::kMaxId)
        fields.wrong(key, "a list of ids");
  return fields.status();
}

Status check_texts(const std::string& texts, const std::vector<uint32_t>& ends,
                   const std::string& where) {
  const bool ordered =
      std::is_sorted(ends.begin(), ends.end()) && ends.front() == 0 && ends.back() == texts.size();
  if (!ordered || !is_utf8(texts))
    return fail(Code::kMalformed, where, "the token texts and their offsets do not agree");
  for (const uint32_t end : ends)
    if (end < texts.size() && is_continuation(texts[end]))
      return fail(Code::kMalformed, where, "a token text ends inside a character");
  return {};
}

Status check_header(const Header& header, const std::string& where) {
  if (std::string_view(header.magic, 4) != kMagic)
    return fail(Code::kMalformed, where, "the tokenizer section does not begin with LGTK");
  if (header.version != kVersion)
    return fail(
        Code::kVersionMismatch, where,
        fmt::format("the tokenizer section has version {}, expected {}", header.version, kVersion));
  if (header.config_bytes > kMaxTextBytesInFile || header.text_bytes > kMaxTextBytesInFile ||
      header.slots > Vocabulary::kMaxId + 1 || header.merges > kMaxMerges ||
      header.scores > Vocabulary::kMaxId + 1)
    return fail(Code::kMalformed, where, "a size in the tokenizer section is out of range");
  return {};
}

}  // namespace

std::string serialize(const Definition& definition) {
  const std::string config = definition.config.dump();
  const Vocabulary& vocabulary = definition.vocabulary;
  Header header{{'L', 'G', 'T', 'K'},
                kVersion,
                config.size(),
                static_cast<uint64_t>(vocabulary.size()),
                vocabulary.blob().size(),
                definition.merges.size(),
                definition.scores.size()};
  std::string out;
  append(std::span<const Header>(&header, 1), out);
  append(std::span<const char>(config), out);
  append(vocabulary.present(), out);
  append(vocabulary.offsets(), out);
  append(std::span<const char>(vocabulary.blob()), out);
  append(std::span<const Merge>(definition.merges), out);
  append(std::span<const double>(definition.scores), out);
  return out;
}

Result<Definition> deserialize(std::span<const std::byte> bytes, const std::string& where) {
  Header header;
  if (bytes.size() < sizeof(header))
    return fail(Code::kCorrupt, where,
                fmt::format("the tokenizer section has {}, expected at least {}",
                            counted(bytes.size(), "byte"), sizeof(header)));
  std::memcpy(&header, bytes.data(), sizeof(header));
  LEGATO_RETURN_IF_ERROR(check_header(header, where));
  Reader reader(bytes.subspan(sizeof(header)));
  Definition definition;
  std::string config;
  std::string texts;
  std::vector<uint8_t> present;
  std::vector<uint32_t> offsets;
  const bool complete =
      reader.take(header.config_bytes, config) && reader.take(header.slots, present) &&
      reader.take(header.slots + 1, offsets) && reader.take(header.text_bytes, texts) &&
      reader.take(header.merges, definition.merges) &&
      reader.take(header.scores, definition.scores);
  if (!complete || !reader.at_end())
    return fail(Code::kCorrupt, where,
                fmt::format("the tokenizer section has {}, which its header contradicts",
                            counted(bytes.size(), "byte")));
  LEGATO_RETURN_IF_ERROR(check_texts(texts, offsets, where));
  LEGATO_ASSIGN_OR_RETURN(definition.config, parse_json(config, where));
  LEGATO_RETURN_IF_ERROR(check_config(definition.config, where));
  const uint64_t slots = header.slots;
  for (const Merge& merge : definition.merges)
    if (merge.left >= slots || merge.right >= slots || merge.result >= slots)
      return fail(Code::kMalformed, where, "a merge names a token outside the vocabulary");
  definition.vocabulary = Vocabulary(std::move(texts), std::move(offsets), std::move(present));
  return definition;
}

}  // namespace legato::tokenizer
