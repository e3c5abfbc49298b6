#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/decoder.h"
#include "tokenizer/definition.h"
#include "tokenizer/model.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pre_tokenizer.h"

namespace legato::tokenizer {

/// A tokenizer put together. Its parts point at each other, so that it stays where it is.
/// Immutable; any thread may use it.
struct TokenizerParts {
  /// kMalformed or kUnsupported when the definition can't be assembled.
  static Result<std::shared_ptr<const TokenizerParts>> assemble(Definition definition,
                                                                const std::string& where);

  /// The token's text; empty when there is none.
  std::string_view text(int32_t id) const;
  bool has(int32_t id) const { return added.find(id) != nullptr || vocabulary().contains(id); }
  bool is_special(int32_t id) const;
  /// Whether the token has a say in the text of its ids. Special ones may be left out; unused ones
  /// are tokens when a text is cut, but stand for nothing.
  bool is_written(int32_t id, bool skip_special) const;
  const Vocabulary& vocabulary() const { return definition.vocabulary; }

  Definition definition;
  std::string where;
  AddedTokens added;
  NormalizerPtr normalizer;
  PreTokenizerPtr pre_tokenizer;
  ModelPtr model;
  std::vector<DecoderPtr> decoders;
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
  std::vector<int32_t> unused;  ///< ascending
  int32_t vocab_size = 0;
  /// How token texts stand for bytes.
  bool byte_level = false;
  bool byte_fallback = false;
  bool metaspace = false;
};

}  // namespace legato::tokenizer
