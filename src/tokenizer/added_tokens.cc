#include "tokenizer/added_tokens.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "tokenizer/fields.h"
#include "tokenizer/unicode.h"

namespace legato::tokenizer {
namespace {

// A step through the text costs up to this much.
constexpr size_t kMaxTokenBytes = 1024;

}  // namespace

Result<AddedToken> parse_added_token(const Json& json, const std::string& where,
                                     const std::string& place) {
  AddedToken token;
  Fields fields(json, where, place);
  token.content = fields.required_text("content");
  token.single_word = fields.flag("single_word", false);
  token.lstrip = fields.flag("lstrip", false);
  token.rstrip = fields.flag("rstrip", false);
  token.special = fields.flag("special", false);
  token.normalized = fields.flag("normalized", !token.special);
  if (token.content.size() > kMaxTokenBytes)
    fields.fail_with(fail(Code::kUnsupported, where,
                          fmt::format("{} has {} bytes, expected at most {}", place,
                                      token.content.size(), kMaxTokenBytes)));
  if (!fields.status().ok()) return fields.status();
  return token;
}

Result<AddedTokens> AddedTokens::create(std::vector<AddedToken> tokens,
                                        const Normalizer* normalizer) {
  AddedTokens result;
  result.tokens_ = std::move(tokens);
  std::vector<TrackedText> normalized(result.tokens_.size());
  std::vector<Trie::Entry> raw_entries;
  std::vector<Trie::Entry> normalized_entries;
  for (size_t i = 0; i < result.tokens_.size(); ++i) {
    AddedToken& token = result.tokens_[i];
    token.text = token.content;
    result.by_id_.emplace(token.id, i);
    result.by_content_.emplace(token.content, i);
    if (!token.normalized) {
      raw_entries.push_back({token.content, static_cast<int32_t>(i)});
      continue;
    }
    result.has_normalized_special_ = result.has_normalized_special_ || token.special;
    normalized[i].bytes = token.content;
    if (normalizer != nullptr) LEGATO_RETURN_IF_ERROR(normalizer->apply(normalized[i]));
    if (normalized[i].bytes.size() > 4 * kMaxTokenBytes)
      return fail(Code::kUnsupported, "",
                  fmt::format("added token {} has {} bytes when normalized, expected at most {}",
                              token.id, normalized[i].bytes.size(), 4 * kMaxTokenBytes));
    token.text = normalized[i].bytes;
    normalized_entries.push_back({normalized[i].bytes, static_cast<int32_t>(i)});
  }
  result.raw_ = Trie(std::move(raw_entries));
  result.normalized_ = Trie(std::move(normalized_entries));
  return result;
}

const AddedToken* AddedTokens::find(int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  const auto found = by_content_.find(std::string(content));
  return found == by_content_.end() ? nullptr : &tokens_[found->second];
}

void AddedTokens::split(const Trie& trie, std::string_view text, const Filter& filter,
                        std::vector<Span>& out) const {
  size_t covered = 0;
  for (size_t position = 0; position < text.size() && !trie.empty();) {
    if (!trie.may_start(text[position])) {
      ++position;
      continue;
    }
    size_t length = 0;
    int32_t index = -1;
    trie.prefixes(text.substr(position), [&](size_t key_length, int32_t value) {
      length = key_length;
      index = value;
    });
    if (index < 0) {
      ++position;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<size_t>(index)];
    size_t begin = position;
    size_t end = position + length;
    position = end;
    if (token.special) {
      const bool content =
          !filter.content.empty() &&
          filter.content.substr(begin, length).find('\1') != std::string_view::npos;
      if (!filter.parse_special || content) continue;
    }
    if (token.single_word &&
        (ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end))))
      continue;
    if (token.lstrip && covered < begin)
      begin -= trailing_whitespace(text.substr(covered, begin - covered));
    if (token.rstrip) end += leading_whitespace(text.substr(end));
    if (covered < begin) out.push_back({covered, begin, -1});
    out.push_back({begin, end, token.id});
    covered = end;
  }
  if (covered < text.size()) out.push_back({covered, text.size(), -1});
}

}  // namespace legato::tokenizer
