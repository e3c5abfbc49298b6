#include "tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>

#include "base/hash.h"

namespace legato::tokenizer {
namespace {

// Ids without token that a small vocabulary may have; tables are as long as the largest id.
constexpr size_t kMaxHoles = 65536;

uint64_t hash_text(std::string_view text) {
  return hash_bytes(std::as_bytes(std::span(text.data(), text.size())), table_seed());
}

}  // namespace

uint64_t table_seed() {
  static const uint64_t seed = [] {
    std::random_device source;
    return uint64_t{source()} << 32 | source();
  }();
  return seed;
}

Vocabulary::Vocabulary(std::string blob, std::vector<uint32_t> offsets,
                       std::vector<uint8_t> present)
    : blob_(std::move(blob)), offsets_(std::move(offsets)), present_(std::move(present)) {
  build_table();
}

Result<Vocabulary> Vocabulary::from_tokens(const std::vector<Token>& tokens,
                                           const std::string& where) {
  int32_t largest = -1;
  size_t bytes = 0;
  for (const Token& token : tokens) {
    if (token.id < 0 || token.id > kMaxId)
      return fail(Code::kMalformed, where,
                  fmt::format("token id {} is outside [0, {}]", token.id, kMaxId));
    largest = std::max(largest, token.id);
    bytes += token.text.size();
  }
  if (largest > 0 && static_cast<size_t>(largest) > kMaxHoles + 16 * tokens.size())
    return fail(Code::kMalformed, where,
                fmt::format("token id {} is far beyond the {} tokens of the vocabulary", largest,
                            tokens.size()));
  if (bytes > UINT32_MAX / 2)
    return fail(Code::kMalformed, where, fmt::format("the vocabulary holds {} bytes", bytes));
  std::vector<const Token*> by_id(largest + 1, nullptr);
  for (const Token& token : tokens) {
    if (by_id[token.id] != nullptr)
      return fail(Code::kMalformed, where,
                  fmt::format("token id {} has two texts, expected one", token.id));
    by_id[token.id] = &token;
  }
  std::string blob;
  blob.reserve(bytes);
  std::vector<uint32_t> offsets{0};
  std::vector<uint8_t> present;
  for (const Token* token : by_id) {
    if (token != nullptr) blob += token->text;
    offsets.push_back(static_cast<uint32_t>(blob.size()));
    present.push_back(token != nullptr);
  }
  return Vocabulary(std::move(blob), std::move(offsets), std::move(present));
}

void Vocabulary::build_table() {
  table_.assign(std::bit_ceil(present_.size() * 3 / 2 + 2), 0);
  const size_t mask = table_.size() - 1;
  for (int32_t id = 0; id < size(); ++id) {
    if (!present_[id]) continue;
    ++count_;
    const std::string_view own = text(id);
    longest_ = std::max(longest_, own.size());
    size_t slot = hash_text(own) & mask;
    while (table_[slot] != 0 && text(static_cast<int32_t>(table_[slot] - 1)) != own)
      slot = (slot + 1) & mask;
    table_[slot] = static_cast<uint32_t>(id) + 1;
  }
}

int32_t Vocabulary::find(std::string_view wanted) const {
  if (table_.empty() || wanted.size() > longest_) return -1;
  const size_t mask = table_.size() - 1;
  for (size_t slot = hash_text(wanted) & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
    const auto id = static_cast<int32_t>(table_[slot] - 1);
    if (text(id) == wanted) return id;
  }
  return -1;
}

}  // namespace legato::tokenizer
