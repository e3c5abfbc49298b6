#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "legato/text.h"
#include "tokenizer/chat_template/chat_template.h"
#include "tokenizer/tokenizer.h"

namespace legato {
inline namespace v1 {

struct Tokenizer::Impl {
  tokenizer::Tokenizer tokenizer;
  std::string where;  ///< file or folder, for messages
};

}  // namespace v1

namespace api {

/// What an engine carries.
Result<Tokenizer> deserialize_tokenizer(std::span<const std::byte> bytes, const std::string& where);

}  // namespace api
}  // namespace legato
