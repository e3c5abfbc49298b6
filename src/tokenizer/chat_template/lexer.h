#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace legato::tokenizer::jinja {

enum class TokenKind {
  kData,           ///< literal text of the template
  kVariableBegin,  ///< {{
  kVariableEnd,    ///< }}
  kBlockBegin,     ///< {%
  kBlockEnd,       ///< %}
  kName,
  kString,  ///< text is the unescaped value
  kInteger,
  kFloat,
  kOperator,
  kEnd,
};

struct Token {
  TokenKind kind;
  std::string text;
  int line;
};

/// Cuts a template into tokens as Jinja does with trim_blocks and lstrip_blocks on and one trailing
/// newline dropped. Ends with kEnd. Throws TemplateError, after setting `line` to where that was.
std::vector<Token> tokenize(std::string_view source, int& line);

}  // namespace legato::tokenizer::jinja
