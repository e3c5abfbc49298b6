#include "tokenizer/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/counted.h"
#include "base/log.h"
#include "base/one_line.h"
#include "tokenizer/byte_alphabet.h"

namespace legato::tokenizer {
namespace {

constexpr size_t kMaxAddedTokens = 16'384;
constexpr std::string_view kVisibleSpace = "\xE2\x96\x81";

TokenKind kind_of(const TokenizerMetadata& metadata, size_t id) {
  return metadata.kinds.empty() ? TokenKind::kNormal : static_cast<TokenKind>(metadata.kinds[id]);
}

Status check_lists(const TokenizerMetadata& metadata, const std::string& where) {
  const size_t count = metadata.tokens.size();
  if (count == 0) return fail(Code::kMalformed, where, "tokenizer.ggml.tokens is missing or empty");
  for (const auto& [key, size] :
       {std::pair{"token_type", metadata.kinds.size()}, {"scores", metadata.scores.size()}})
    if (size != 0 && size != count)
      return fail(Code::kMalformed, where,
                  fmt::format("tokenizer.ggml.{} has {}, expected {}: one a token", key,
                              counted(size, "element"), count));
  for (size_t id = 0; id < metadata.kinds.size(); ++id)
    if (metadata.kinds[id] < 0 || metadata.kinds[id] > static_cast<int32_t>(TokenKind::kByte))
      return fail(Code::kMalformed, where,
                  fmt::format("tokenizer.ggml.token_type[{}] is {}, expected 0 to {}", id,
                              metadata.kinds[id], static_cast<int32_t>(TokenKind::kByte)));
  for (size_t id = 0; id < metadata.scores.size(); ++id)
    if (!std::isfinite(metadata.scores[id]))
      return fail(Code::kMalformed, where,
                  fmt::format("tokenizer.ggml.scores[{}] is {}, expected a finite number", id,
                              metadata.scores[id]));
  return {};
}

Result<Vocabulary> make_vocabulary(const TokenizerMetadata& metadata, const std::string& where) {
  std::vector<Vocabulary::Token> tokens;
  tokens.reserve(metadata.tokens.size());
  for (size_t id = 0; id < metadata.tokens.size(); ++id)
    tokens.push_back({std::string(metadata.tokens[id]), static_cast<int32_t>(id)});
  return Vocabulary::from_tokens(tokens, where);
}

/// A text of two ids would be tokenised by chance.
Status check_texts_differ(const Vocabulary& vocabulary, const std::string& where) {
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view text = vocabulary.text(id);
    const int32_t other = text.empty() ? id : vocabulary.find(text);
    if (other != id)
      return fail(Code::kMalformed, where,
                  fmt::format("tokenizer.ggml.tokens[{}] and [{}] are both \"{}\", expected "
                              "different texts",
                              std::min(id, other), std::max(id, other), one_line(text, 60)));
  }
  return {};
}

/// Control tokens and those that the file defines apart from the model's own.
Result<Json> added_tokens(const TokenizerMetadata& metadata, const std::string& where) {
  Json list = Json::array();
  for (size_t id = 0; id < metadata.tokens.size(); ++id) {
    const TokenKind kind = kind_of(metadata, id);
    const bool special = kind == TokenKind::kControl || kind == TokenKind::kUnknown;
    if ((!special && kind != TokenKind::kUserDefined) || metadata.tokens[id].empty()) continue;
    list.push_back({{"id", id},
                    {"content", metadata.tokens[id]},
                    {"single_word", false},
                    {"lstrip", false},
                    {"rstrip", false},
                    {"normalized", false},
                    {"special", special}});
    if (list.size() > kMaxAddedTokens)
      return fail(Code::kUnsupported, where,
                  fmt::format("tokenizer.ggml.token_type has more than {} control and user-defined "
                              "tokens",
                              kMaxAddedTokens));
  }
  return list;
}

/// Padding of the vocabulary, for example. Such tokens merge like others when a text is cut and
/// stand for no text, which is how llama.cpp reads the files that are written for it.
Json unused_tokens(const TokenizerMetadata& metadata) {
  Json list = Json::array();
  for (size_t id = 0; id < metadata.tokens.size(); ++id)
    if (kind_of(metadata, id) == TokenKind::kUnused) list.push_back(id);
  return list;
}

/// Ids of the two tokens and their whole; -1 where there is none.
std::array<int32_t, 3> find_merge(std::string_view merge, const Vocabulary& vocabulary) {
  // The left half may itself begin with a space.
  const size_t space = merge.find(' ', 1);
  if (space == std::string_view::npos) return {-1, -1, -1};
  const std::string_view left = merge.substr(0, space), right = merge.substr(space + 1);
  return {vocabulary.find(left), vocabulary.find(right),
          vocabulary.find(std::string(left).append(right))};
}

/// Merges that name no tokens can't be made: they are left out, with a warning.
Status read_merges(const TokenizerMetadata& metadata, const std::string& where, Definition& out) {
  if (metadata.merges.empty())
    return fail(Code::kMalformed, where,
                "tokenizer.ggml.merges is missing, which the tokenizer model \"gpt2\" needs");
  out.merges.reserve(metadata.merges.size());
  std::optional<size_t> first_wrong;
  for (size_t rank = 0; rank < metadata.merges.size(); ++rank) {
    const auto [left, right, whole] = find_merge(metadata.merges[rank], out.vocabulary);
    if (left >= 0 && right >= 0 && whole >= 0) {
      out.merges.push_back({static_cast<uint32_t>(left), static_cast<uint32_t>(right),
                            static_cast<uint32_t>(whole)});
    } else if (!first_wrong) {
      first_wrong = rank;
    }
  }
  if (first_wrong)
    log_warning(fmt::format(
        "{}: {} of {} merges are ignored, since a part or the whole is no token; the first is {}",
        where, metadata.merges.size() - out.merges.size(), metadata.merges.size(),
        Json(metadata.merges[*first_wrong].substr(0, 60))
            .dump(-1, ' ', true, Json::error_handler_t::replace)));
  return {};
}

/// Bytes of ordinary text: tab, ends of lines, printable ASCII, and what characters of the assigned
/// planes have in UTF-8.
bool is_text_byte(int byte) {
  if (byte < 0x80)
    return byte == '\t' || byte == '\n' || byte == '\r' || (byte >= 0x20 && byte < 0x7f);
  return byte < 0xc0 || (byte >= 0xc2 && byte <= 0xf0);
}

/// What has no token is left out of a text.
void warn_of_missing_bytes(const Vocabulary& vocabulary, const std::string& where) {
  std::string missing;
  for (int byte = 0; byte <= 0xff; ++byte) {
    if (is_text_byte(byte) && vocabulary.find(character_of_byte(static_cast<uint8_t>(byte))) < 0)
      missing += fmt::format(" {:02x}", byte);
  }
  constexpr size_t kMaxShown = 8 * 3;
  if (!missing.empty())
    log_warning(fmt::format("{}: no token for the {} {}{}, which texts will lose", where,
                            missing.size() == 3 ? "byte" : "bytes",
                            missing.substr(1, kMaxShown - 1),
                            missing.size() > kMaxShown ? " ..." : ""));
}

/// Byte-level BPE. Returns whether a begin token is added where the metadata doesn't say.
Result<bool> define_byte_level(const TokenizerMetadata& metadata, const std::string& where,
                               Definition& out) {
  if (metadata.add_space_prefix.value_or(false))
    return fail(Code::kUnsupported, where,
                "tokenizer.ggml.add_space_prefix is true, only false is supported with the "
                "tokenizer model \"gpt2\"");
  LEGATO_ASSIGN_OR_RETURN(
      NamedPreTokenizer named,
      pre_tokenizer_by_name(metadata.pre.empty() ? "default" : metadata.pre, where));
  LEGATO_RETURN_IF_ERROR(read_merges(metadata, where, out));
  warn_of_missing_bytes(out.vocabulary, where);
  out.config["normalizer"] = std::move(named.normalizer);
  out.config["pre_tokenizer"] = std::move(named.pre_tokenizer);
  out.config["decoder"] = {{"type", "ByteLevel"}};
  out.config["model"] = {{"type", "BPE"}, {"ignore_merges", named.ignore_merges}};
  return named.adds_bos;
}

Json replace(std::string_view from, std::string_view to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

/// SentencePiece BPE: spaces are visible, one is put in front of each text unless the file says
/// otherwise, and what no token spells is written in bytes.
Result<bool> define_sentence_piece(const TokenizerMetadata& metadata, const std::string& where,
                                   Definition& out) {
  if (metadata.scores.empty())
    return fail(Code::kMalformed, where,
                "tokenizer.ggml.scores is missing, which the tokenizer model \"llama\" needs");
  for (size_t id = 0; id < metadata.scores.size(); ++id) {
    const TokenKind kind = kind_of(metadata, id);
    const bool joins =
        kind == TokenKind::kNormal || kind == TokenKind::kUserDefined || kind == TokenKind::kUnused;
    out.scores.push_back(joins ? metadata.scores[id] : -std::numeric_limits<double>::infinity());
  }
  const bool prefix = metadata.add_space_prefix.value_or(true);
  Json normalizers = Json::array();
  if (prefix) normalizers.push_back({{"type", "Prepend"}, {"prepend", kVisibleSpace}});
  normalizers.push_back(replace(" ", kVisibleSpace));
  out.config["normalizer"] = {{"type", "Sequence"}, {"normalizers", std::move(normalizers)}};
  out.config["pre_tokenizer"] = nullptr;
  Json decoders =
      Json::array({replace(kVisibleSpace, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}});
  if (prefix) decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  out.config["decoder"] = {{"type", "Sequence"}, {"decoders", std::move(decoders)}};
  out.config["model"] = {{"type", "SentencePieceBPE"}};
  const auto unknown = metadata.named_ids.find("unk_token");
  if (unknown != metadata.named_ids.end()) out.config["model"]["unk_id"] = unknown->second;
  return true;
}

/// bos_token and the like by their texts.
Json named_tokens(const TokenizerMetadata& metadata) {
  Json named = Json::object();
  for (const auto& [name, id] : metadata.named_ids)
    if (id >= 0 && static_cast<size_t>(id) < metadata.tokens.size())
      named[name] = metadata.tokens[static_cast<size_t>(id)];
  return named;
}

/// The ids around a text: the named token where the flag says so.
Status add_edge(const TokenizerMetadata& metadata, const std::string& name, bool wanted,
                const std::string& where, Json& edge) {
  edge = Json::array();
  if (!wanted) return {};
  const auto found = metadata.named_ids.find(name);
  if (found == metadata.named_ids.end() || found->second < 0 ||
      static_cast<size_t>(found->second) >= metadata.tokens.size())
    return fail(Code::kMalformed, where,
                fmt::format("tokenizer.ggml.add_{} is true, but no id is given for it", name));
  edge.push_back(found->second);
  return {};
}

}  // namespace

Result<Definition> definition_from_metadata(const TokenizerMetadata& metadata,
                                            const std::string& where) {
  if (metadata.model != "gpt2" && metadata.model != "llama")
    return fail(Code::kUnsupported, where,
                fmt::format("tokenizer.ggml.model is \"{}\", which is not supported; known: gpt2, "
                            "llama",
                            metadata.model.substr(0, 60)));
  LEGATO_RETURN_IF_ERROR(check_lists(metadata, where));
  Definition definition;
  definition.config = Json::object();
  LEGATO_ASSIGN_OR_RETURN(definition.vocabulary, make_vocabulary(metadata, where));
  LEGATO_RETURN_IF_ERROR(check_texts_differ(definition.vocabulary, where));
  LEGATO_ASSIGN_OR_RETURN(const bool adds_bos,
                          metadata.model == "gpt2"
                              ? define_byte_level(metadata, where, definition)
                              : define_sentence_piece(metadata, where, definition));
  LEGATO_ASSIGN_OR_RETURN(definition.config["added_tokens"], added_tokens(metadata, where));
  if (Json unused = unused_tokens(metadata); !unused.empty())
    definition.config["unused"] = std::move(unused);
  definition.config["named_tokens"] = named_tokens(metadata);
  definition.config["chat_templates"] = metadata.chat_templates;
  LEGATO_RETURN_IF_ERROR(add_edge(metadata, "bos_token", metadata.add_bos.value_or(adds_bos), where,
                                  definition.config["prefix"]));
  LEGATO_RETURN_IF_ERROR(add_edge(metadata, "eos_token", metadata.add_eos.value_or(false), where,
                                  definition.config["suffix"]));
  return definition;
}

}  // namespace legato::tokenizer
