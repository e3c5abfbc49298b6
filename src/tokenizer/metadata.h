#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/definition.h"

namespace legato::tokenizer {

/// What a token is, by the numbers that GGUF (and SentencePiece) use.
enum class TokenKind : int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

/// A tokenizer as GGUF's metadata describes it: lists by id and a few names instead of a
/// tokenizer.json. Texts are UTF-8.
struct TokenizerMetadata {
  std::string model;  ///< "gpt2": byte-level BPE; "llama": SentencePiece BPE
  std::string pre;    ///< name of the pre-tokenizer; empty: not given
  std::vector<std::string_view> tokens;
  std::vector<int32_t> kinds;            ///< TokenKind of each token; empty: all normal
  std::vector<float> scores;             ///< of each token; SentencePiece
  std::vector<std::string_view> merges;  ///< "left right" by rank; byte-level BPE
  std::optional<bool> add_bos;
  std::optional<bool> add_eos;
  std::optional<bool> add_space_prefix;
  std::map<std::string, int32_t> named_ids;           ///< "bos_token", "eos_token" ... to id
  std::map<std::string, std::string> chat_templates;  ///< name ("default" ...) to text
};

/// The tokenizer that these lists stand for. kUnsupported names a model or pre-tokenizer that isn't
/// known; kMalformed what is missing or contradicts itself.
Result<Definition> definition_from_metadata(const TokenizerMetadata& metadata,
                                            const std::string& where);

/// The pre-tokenizer, normalizer and habits behind a name of GGUF's `tokenizer.ggml.pre`.
struct NamedPreTokenizer {
  Json pre_tokenizer;
  Json normalizer;             ///< null: none
  bool ignore_merges = false;  ///< a piece that is a token stays whole
  bool adds_bos = false;       ///< where the metadata doesn't say
};
Result<NamedPreTokenizer> pre_tokenizer_by_name(std::string_view name, const std::string& where);

}  // namespace legato::tokenizer
