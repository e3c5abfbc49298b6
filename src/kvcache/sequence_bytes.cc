// A saved sequence, all numbers little-endian:
//   magic "LGTSEQ\r\n", u32 version, u32 length of the fingerprint, the fingerprint,
//   u32 dtype, u32 tokens a block, u32 layers, then for each layer i32 kv_heads, head_dim, window,
//   sinks; u64 number of tokens, the tokens (i32), the contents of their blocks one after the
//   other (positions behind the last token are zero), u64 XXH3 of everything before.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/counted.h"
#include "base/hash.h"
#include "base/one_line.h"
#include "kvcache/sequence_cache.h"

namespace legato::kvcache {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic("LGTSEQ\r\n", 8);
constexpr uint32_t kVersion = 1;
constexpr size_t kChecksumBytes = sizeof(uint64_t);

Status malformed(const std::string& message) {
  return fail(Code::kMalformed, "saved sequence", message);
}

template <typename T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Takes fields from the front of bytes that may end anywhere.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
  Result<T> number(std::string_view field) {
    LEGATO_ASSIGN_OR_RETURN(const auto bytes, take(sizeof(T), field));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  Result<std::span<const std::byte>> take(uint64_t count, std::string_view field) {
    if (count > rest_.size())
      return malformed(
          fmt::format("{} needs {}, {} are left", field, counted(count, "byte"), rest_.size()));
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Status judge_checksum(std::span<const std::byte> bytes) {
  const auto body = bytes.first(bytes.size() - kChecksumBytes);
  uint64_t stored = 0;
  std::memcpy(&stored, bytes.data() + body.size(), kChecksumBytes);
  const uint64_t found = hash_bytes(body);
  if (stored == found) return {};
  return fail(Code::kCorrupt, "saved sequence",
              fmt::format("checksum is {:016x}, its header says {:016x}", found, stored));
}

Status judge_layer(Fields& fields, size_t index, const KvLayerSpec& expected) {
  KvLayerSpec found;
  LEGATO_ASSIGN_OR_RETURN(found.kv_heads, fields.number<int32_t>("kv_heads"));
  LEGATO_ASSIGN_OR_RETURN(found.head_dim, fields.number<int32_t>("head_dim"));
  LEGATO_ASSIGN_OR_RETURN(found.window, fields.number<int32_t>("window"));
  LEGATO_ASSIGN_OR_RETURN(found.sinks, fields.number<int32_t>("sinks"));
  if (found == expected) return {};
  return fail(Code::kInvalidArgument, "saved sequence",
              fmt::format("layer {} has {} heads of {}, window {}, sinks {}; the cache has {} of "
                          "{}, window {}, sinks {}",
                          index, found.kv_heads, found.head_dim, found.window, found.sinks,
                          expected.kv_heads, expected.head_dim, expected.window, expected.sinks));
}

Status judge_layout(Fields& fields, const KvLayout& layout) {
  const auto mismatch = [](std::string_view field, uint32_t found, size_t expected) {
    return fail(Code::kInvalidArgument, "saved sequence",
                fmt::format("{} is {}, the cache has {}", field, found, expected));
  };
  LEGATO_ASSIGN_OR_RETURN(const auto dtype, fields.number<uint32_t>("dtype"));
  if (dtype != static_cast<uint32_t>(layout.dtype()))
    return fail(Code::kInvalidArgument, "saved sequence",
                fmt::format("dtype is {}, the cache holds {}",
                            dtype < kNumDTypes ? dtype_name(static_cast<DType>(dtype)) : "unknown",
                            dtype_name(layout.dtype())));
  LEGATO_ASSIGN_OR_RETURN(const auto block_tokens, fields.number<uint32_t>("tokens a block"));
  if (block_tokens != kBlockTokens) return mismatch("tokens a block", block_tokens, kBlockTokens);
  LEGATO_ASSIGN_OR_RETURN(const auto layers, fields.number<uint32_t>("layers"));
  if (layers != layout.layers().size()) return mismatch("layers", layers, layout.layers().size());
  for (size_t i = 0; i < layers; ++i)
    LEGATO_RETURN_IF_ERROR(judge_layer(fields, i, layout.layers()[i]));
  return {};
}

Status judge_head(Fields& fields, const std::string& fingerprint) {
  LEGATO_ASSIGN_OR_RETURN(const auto magic, fields.take(kMagic.size(), "magic"));
  if (text_of(magic) != kMagic) return malformed("does not begin with the magic bytes LGTSEQ");
  LEGATO_ASSIGN_OR_RETURN(const auto version, fields.number<uint32_t>("version"));
  if (version != kVersion)
    return fail(Code::kVersionMismatch, "saved sequence",
                fmt::format("version {}, expected {}", version, kVersion));
  LEGATO_ASSIGN_OR_RETURN(const auto length, fields.number<uint32_t>("fingerprint's length"));
  LEGATO_ASSIGN_OR_RETURN(const auto found, fields.take(length, "fingerprint"));
  if (text_of(found) != fingerprint)
    return fail(Code::kInvalidArgument, "saved sequence",
                fmt::format("was written by another engine: fingerprint {}, expected {}",
                            one_line(text_of(found), 64), fingerprint));
  return {};
}

/// Tokens and contents as they lie in the bytes.
struct Body {
  std::span<const std::byte> tokens;
  std::span<const std::byte> blocks;
  size_t num_blocks = 0;
};

Result<Body> judge_body(Fields& fields, const KvLayout& layout) {
  LEGATO_ASSIGN_OR_RETURN(const auto num_tokens, fields.number<uint64_t>("number of tokens"));
  Body body;
  if (num_tokens > fields.rest().size() / sizeof(int32_t))
    return malformed(fmt::format("says {}, {} bytes are left", counted(num_tokens, "token"),
                                 fields.rest().size()));
  LEGATO_ASSIGN_OR_RETURN(body.tokens, fields.take(num_tokens * sizeof(int32_t), "tokens"));
  body.num_blocks = static_cast<size_t>(ceil_div<uint64_t>(num_tokens, kBlockTokens));
  const auto bytes = checked_mul<uint64_t>(body.num_blocks, layout.block_bytes());
  if (!bytes || *bytes != fields.rest().size())
    return malformed(fmt::format("{} of {} bytes are expected for {}, {} bytes came",
                                 counted(body.num_blocks, "block"), layout.block_bytes(),
                                 counted(num_tokens, "token"), fields.rest().size()));
  body.blocks = fields.rest();
  for (uint64_t i = 0; i < num_tokens; ++i) {
    int32_t token = 0;
    std::memcpy(&token, body.tokens.data() + i * sizeof(token), sizeof(token));
    if (token < 0) return malformed(fmt::format("token {} is {}", i, token));
  }
  return body;
}

/// Zeroes the positions [used, kBlockTokens) of a block: they may hold what other sequences left.
void clear_tail(const KvLayout& layout, int64_t used, char* block) {
  const size_t element = dtype_bytes(layout.dtype());
  const auto tail = static_cast<size_t>(kBlockTokens - used) * element;
  for (size_t layer = 0; layer < layout.layers().size(); ++layer) {
    const KvLayerSpec& spec = layout.layers()[layer];
    const auto dim = static_cast<size_t>(spec.head_dim);
    for (int head = 0; head < spec.kv_heads; ++head) {
      char* keys = block + layout.key_offset(static_cast<int>(layer), head);
      for (size_t row = 0; row < dim; ++row)
        std::memset(keys + (row * kBlockTokens + static_cast<size_t>(used)) * element, 0, tail);
      char* values = block + layout.value_offset(static_cast<int>(layer), head);
      std::memset(values + static_cast<size_t>(used) * dim * element, 0, tail * dim);
    }
  }
}

}  // namespace

Result<std::string> SequenceCache::save(const std::string& fingerprint) const {
  const KvLayout& layout = pool_->layout();
  const auto used = static_cast<size_t>(blocks_in_use());
  std::string out(kMagic);
  out.reserve(256 + fingerprint.size() + layout.layers().size() * sizeof(KvLayerSpec) +
              tokens_.size() * sizeof(int32_t) + used * layout.block_bytes());
  append(out, kVersion);
  append(out, static_cast<uint32_t>(fingerprint.size()));
  out += fingerprint;
  append(out, static_cast<uint32_t>(layout.dtype()));
  append(out, static_cast<uint32_t>(kBlockTokens));
  append(out, static_cast<uint32_t>(layout.layers().size()));
  for (const KvLayerSpec& spec : layout.layers()) {
    for (const int32_t field : {spec.kv_heads, spec.head_dim, spec.window, spec.sinks})
      append(out, field);
  }
  append(out, static_cast<uint64_t>(tokens_.size()));
  out.append(reinterpret_cast<const char*>(tokens_.data()), tokens_.size() * sizeof(int32_t));
  for (size_t i = 0; i < used; ++i)
    out.append(reinterpret_cast<const char*>(pool_->data(blocks_[i])), layout.block_bytes());
  if (const int64_t partial = length() % kBlockTokens; partial != 0)
    clear_tail(layout, partial, out.data() + out.size() - layout.block_bytes());
  append(out, hash_bytes(std::as_bytes(std::span(out))));
  return out;
}

Result<SequenceCache> SequenceCache::restore(std::span<const std::byte> bytes,
                                             const std::string& fingerprint, BlockPool& pool,
                                             PrefixIndex* index, std::string salt) {
  if (bytes.size() < kMagic.size() + kChecksumBytes)
    return malformed(fmt::format("has {}, too few for a header", counted(bytes.size(), "byte")));
  Fields fields(bytes.first(bytes.size() - kChecksumBytes));
  LEGATO_RETURN_IF_ERROR(judge_head(fields, fingerprint));
  LEGATO_RETURN_IF_ERROR(judge_checksum(bytes));
  LEGATO_RETURN_IF_ERROR(judge_layout(fields, pool.layout()));
  LEGATO_ASSIGN_OR_RETURN(const Body body, judge_body(fields, pool.layout()));

  SequenceCache restored(pool, index, std::move(salt));
  restored.computed_here_ = false;
  LEGATO_RETURN_IF_ERROR(restored.make_free(static_cast<int64_t>(body.num_blocks)));
  const size_t block_bytes = pool.layout().block_bytes();
  for (size_t i = 0; i < body.num_blocks; ++i) {
    restored.blocks_.push_back(restored.acquire());
    std::memcpy(pool.data(restored.blocks_.back()), body.blocks.data() + i * block_bytes,
                block_bytes);
  }
  restored.tokens_.resize(body.tokens.size() / sizeof(int32_t));
  if (!body.tokens.empty())
    std::memcpy(restored.tokens_.data(), body.tokens.data(), body.tokens.size());
  return restored;
}

}  // namespace legato::kvcache
